// Calls for few points or lines, without values that Go and JavaScript share; see bindings/js/wasm/few.go.

const most = 64; // points or lines
const vectorBytes = 2 * most * 24; // the results come after the vectors

const hitFields = [
  ["t", Float64Array], ["bounds", Float64Array], ["faces", Int32Array], ["bodies", Int32Array], ["signs", Int8Array], ["jumps", Int8Array],
];
const classes = { Uint8Array, Int32Array, Float64Array };

export class Few {
  #exports;
  #address;
  #answers; // [name, class, elements for a point] of each bit
  #lists = new Map(); // the bits and fields of lists of answers
  #vectors; // a view of the vectors

  // description is the text of fewAnswers in few.go.
  constructor(exports, description) {
    this.#exports = exports;
    this.#address = exports.inpoly_shared();
    this.#answers = description.trimEnd().split("\n").map((line) => {
      const [name, array, width] = line.split(" ");
      return [name, classes[array], Number(width)];
    });
  }

  // Returns the value of a method with checked parameters, or undefined if only the method itself can answer.
  call(method, solid, params) {
    if (method === "locate") return this.#locate(solid, params);
    if (method === "firstHits" || method === "anyHits") return this.#hits(solid, params, method === "anyHits");
    return undefined;
  }

  // Returns a view of the vectors. The memory can have grown since the last call.
  #view() {
    const { buffer } = this.#exports.mem;
    if (this.#vectors?.buffer !== buffer) this.#vectors = new Float64Array(buffer, this.#address, 6 * most);
    return this.#vectors;
  }

  #locate(solid, { points, answers, choice }) {
    const n = points.length / 3;
    if (n > most || choice !== "first") return undefined;
    const { bits, fields } = this.#wanted(answers);
    this.#view().set(points);
    if (this.#exports.inpoly_locate(solid, n, bits)) return undefined;
    return this.#read(fields, n);
  }

  #wanted(answers) {
    let list = this.#lists.get(answers);
    if (!list) {
      const names = answers.split(",");
      list = { bits: 0, fields: [] };
      this.#answers.forEach((answer, i) => {
        if (!names.includes(answer[0])) return;
        list.bits |= 1 << i;
        list.fields.push(answer);
      });
      this.#lists.set(answers, list);
    }
    return list;
  }

  #hits(solid, { starts, vectors, segments }, any) {
    const n = starts.length / 3;
    if (n > most) return undefined;
    const view = this.#view();
    view.set(starts);
    view.set(vectors, 3 * n);
    if (this.#exports.inpoly_hits(solid, n, any ? 1 : 0, segments ? 1 : 0)) return undefined;
    return this.#read(any ? [["met", Uint8Array]] : hitFields, n);
  }

  // Copies the results.
  #read(fields, n) {
    const { buffer } = this.#exports.mem;
    const out = {};
    let at = this.#address + vectorBytes;
    for (const [name, array, width = 1] of fields) {
      out[name] = new array(buffer, at, n * width).slice();
      at += (out[name].byteLength + 7) & ~7;
    }
    return out;
  }
}
