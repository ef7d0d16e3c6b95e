const byId = (id) => document.getElementById(id);
const grouped = (n) => n.toLocaleString("en-US");

// size returns a number of bytes with a unit.
function size(n) {
  const units = ["bytes", "kB", "MB", "GB"];
  let k = 0;
  for (; n >= 1000 && k < 3; k++) n /= 1000;
  return `${k ? n.toPrecision(3) : n} ${units[k]}`;
}

function add(parent, tag, text, className) {
  const e = document.createElement(tag);
  if (text !== undefined) e.textContent = text;
  if (className) e.className = className;
  parent.append(e);
  return e;
}

// quoted returns an argument as a POSIX shell needs it.
function quoted(arg) { return /^[A-Za-z0-9_@%+=:,./-]+$/.test(arg) ? arg : "'" + arg.replaceAll("'", "'\\''") + "'"; }

// argument returns the name of a file as an argument, which is neither a flag nor a subcommand.
function argument(name) { return name.startsWith("-") || !name.includes(".") ? "./" + name : name; }

// offer saves a Blob as a file.
function offer(name, blob) {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(blob);
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 60000);
}

// messageOf splits standard error of a failed run into the message and the hint.
function messageOf({ stderr, code }) {
  if (/^(panic|fatal error|runtime error|runtime): /m.test(stderr)) {
    if (/out of memory|cannot allocate memory/.test(stderr)) return { text: "The memory is not sufficient: this page has at most 4 GB, and a browser can give less. The command inpoly has no such limit.", hint: "" };
    return { text: "inpoly has failed. This is a defect: please report it with the files. " + stderr.trim().split("\n")[0], hint: "" };
  }
  const [text, hint = ""] = stderr.trim().replace(/^inpoly: /, "").split(/\nhint: /);
  return { text: text || `The command ended with code ${code}.`, hint };
}

// failed reports whether a run has no result. The code 3 means that --strict or --expect refuses the result.
function failed({ code, outputs, stdout }) { return code !== 0 && !(code === 3 && (outputs.length > 0 || stdout)); }

// words splits a line of flags at blanks. Quotation marks protect blanks.
function words(text) { return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((m) => m[1] ?? m[2] ?? m[3]); }

// Flags beyond the controls that also belong to pictures and explanations. All of them have values.
const sharedFlags = ["--epsilon", "--seed"], pointFlags = ["--units", "--scale", "--matrix"];

// pick returns those of the words that are given flags with their values.
function pick(list, flags) {
  const out = [];
  for (let i = 0; i < list.length; i++) {
    if (!flags.includes(list[i].split("=")[0])) continue;
    out.push(list[i]);
    if (!list[i].includes("=") && i + 1 < list.length) out.push(list[++i]);
  }
  return out;
}

class Page {
  constructor() {
    this.chosen = new Chosen();
    this.answers = new Engine(); // answers, reports and explanations
    this.views = new Engine(); // 3D views
    this.turn = 0; // number of the last update
    this.result = null; // { key, name, blob }
    this.view = null; // Blob of the 3D page
    this.address = null; // address of the Blob
    this.frame = null; // frame with the 3D page
    this.explained = ""; // text of the last explanation
    this.connect();
    this.commandLine();
  }

  connect() {
    const pick = byId("choose");
    pick.addEventListener("change", () => { this.add([...pick.files]); pick.value = ""; });
    byId("example").addEventListener("click", () => this.example());
    byId("cancel").addEventListener("click", () => this.cancel());
    byId("clear").addEventListener("click", () => this.reset());
    byId("download").addEventListener("click", () => this.download());
    byId("report").addEventListener("click", () => this.report());
    byId("save-view").addEventListener("click", () => offer(this.base() + ".html", this.view));
    byId("explain-form").addEventListener("submit", (e) => { e.preventDefault(); this.explain(byId("place").value); });
    byId("columns-form").addEventListener("submit", (e) => {
      e.preventDefault();
      byId("columns").value = byId("columns-guess").value;
      this.update();
    });
    for (const e of this.controls()) e.addEventListener("change", () => this.update());
    byId("format").addEventListener("change", () => this.commandLine());
    this.connectDrop();
    addEventListener("message", (e) => {
      if (!this.frame || e.source !== this.frame.contentWindow || !e.data || e.data.type !== "inpoly-picked") return;
      byId("place").value = String(e.data.place);
      this.explain(String(e.data.place), String(e.data.file));
    });
  }

  // controls returns the controls that change the answers.
  controls() { return document.querySelectorAll("[data-flag], [data-solid], [data-points], #more"); }

  // reset removes all files and resets the options.
  reset() {
    for (const f of [...this.chosen.list]) this.chosen.remove(f);
    for (const e of [...this.controls(), byId("format"), byId("gzip"), byId("place")]) {
      if (e.type === "checkbox") e.checked = false;
      else if (e.tagName === "SELECT") e.selectedIndex = 0;
      else e.value = "";
    }
    byId("note").textContent = "";
    this.update();
  }

  connectDrop() {
    let inside = 0;
    const overlay = (on) => { byId("overlay").hidden = !on; };
    addEventListener("dragenter", (e) => { e.preventDefault(); inside++; overlay(true); });
    addEventListener("dragleave", () => { inside = Math.max(0, inside - 1); overlay(inside > 0); });
    addEventListener("dragover", (e) => { e.preventDefault(); e.dataTransfer.dropEffect = "copy"; });
    addEventListener("drop", (e) => {
      e.preventDefault();
      inside = 0;
      overlay(false);
      const folders = [...e.dataTransfer.items].filter((item) => item.webkitGetAsEntry?.()?.isDirectory).length;
      if (folders) this.fail("A folder cannot be read. Drop its files.", "");
      else this.add([...e.dataTransfer.files]);
    });
  }

  async example() {
    const file = async (id, name) => {
      this.examples ??= {};
      this.examples[id] ??= await new Response(gunzip(id)).blob();
      return new File([this.examples[id]], name);
    };
    this.add([await file("example-mesh", "knot.stl"), await file("example-points", "points.csv")]);
  }

  async add(files) {
    if (files.length === 0) return;
    byId("note").textContent = await this.chosen.add(files);
    this.update();
  }

  // base returns the name of the point file or of the mesh without suffixes.
  base() {
    const [f] = [...this.chosen.of("points"), ...this.chosen.of("mesh")];
    return f ? f.name.replace(/\.(gz|zst|zstd)$/i, "").replace(/\.[^.]+$/, "") || "result" : "result";
  }

  meshes() { return this.chosen.of("mesh").map((f) => argument(f.name)); }
  points() { return this.chosen.of("points").map((f) => argument(f.name)); }
  more() { return words(byId("more").value); }

  // flags returns the flags of the controls with an attribute, such as data-solid.
  flags(attribute) {
    const out = [];
    for (const e of document.querySelectorAll(`[${attribute}]`)) {
      const value = e.type === "checkbox" ? e.checked : e.value.trim(), flag = e.getAttribute(attribute);
      if (e.type === "checkbox") {
        if (value) out.push(flag);
      } else if (e.tagName === "SELECT" ? e.selectedIndex > 0 : value) {
        out.push(`${flag}=${value}`);
      }
    }
    return out;
  }

  solidFlags() { return [...this.flags("data-solid"), ...pick(this.more(), sharedFlags)]; }

  // locate returns the arguments of the run that answers the points. The output has no suffix, so that the format
  // alone decides.
  locate() {
    const format = byId("format").value;
    return [...this.meshes(), ...this.points(), ...this.flags("data-flag"), ...this.flags("data-solid"), ...this.flags("data-points"), ...this.more(),
      ...(format ? ["--format", format] : [])];
  }

  resultName() {
    const format = byId("format").value, [points] = this.chosen.of("points");
    return `${this.base()}-inside.${format || (points && suffix(points.name)) || "txt"}`;
  }

  commandLine() {
    const args = this.points().length ? [...this.locate(), "--out", this.resultName()] : ["check", ...this.meshes().slice(0, 1)];
    byId("command").textContent = ["inpoly", ...args].map(quoted).join(" ");
  }

  show(id, on) { byId(id).hidden = !on; }

  // update computes everything again.
  async update() {
    const turn = ++this.turn;
    this.answers.cancel();
    this.views.cancel();
    this.list();
    this.clear();
    this.commandLine();
    const meshes = this.meshes(), points = this.points();
    document.documentElement.dataset.state = this.chosen.list.length ? "files" : "empty";
    this.show("options", this.chosen.list.length > 0);
    if (meshes.length === 0) {
      if (this.chosen.list.length) byId("note").textContent = "Drop a mesh, too.";
      byId("view-note").textContent = "The 3D view needs a mesh.";
      this.done();
      return;
    }
    if (points.length === 0 && !byId("note").textContent) byId("note").textContent = "Drop points to find out which of them lie inside.";
    document.documentElement.dataset.ready = "no";
    try {
      const located = points.length > 0 && await this.locatePoints(turn);
      if (turn !== this.turn) return;
      const drawn = this.draw(turn, located ? points : []);
      await this.check(turn);
      await drawn;
    } catch (err) {
      if (turn === this.turn && !(err instanceof Stopped)) this.fail(err.message || String(err), "");
    }
    if (turn === this.turn) this.done();
  }

  done() {
    this.busy("");
    document.documentElement.dataset.ready = "yes";
  }

  clear() {
    for (const id of ["failure", "answer", "mesh", "save", "explain", "preview-part", "columns-form"]) this.show(id, false);
    byId("warnings").replaceChildren();
    this.result = null;
    this.hideView();
    byId("explanation").hidden = true;
    this.explained = "";
    byId("view-note").textContent = "";
    if (byId("note").textContent.startsWith("Drop")) byId("note").textContent = "";
  }

  // hideView removes the 3D view. A new view gets a new frame, so nothing of the old one stays in memory.
  hideView() {
    if (this.frame) this.frame.remove();
    if (this.address) URL.revokeObjectURL(this.address);
    this.frame = this.address = this.view = null;
    byId("save-view").disabled = true;
  }

  list() {
    const ul = byId("files");
    ul.replaceChildren();
    this.show("clear", this.chosen.list.length > 0);
    for (const f of this.chosen.list) {
      const li = add(ul, "li");
      add(li, "span", f.name, "name");
      add(li, "span", size(f.file.size), "size");
      const role = add(li, "select");
      role.setAttribute("aria-label", `Role of ${f.name}`);
      for (const name of ["mesh", "points", "other"]) add(role, "option", name);
      role.value = f.role;
      role.addEventListener("change", () => { this.chosen.set(f, role.value); this.update(); });
      const remove = add(li, "button", "×");
      remove.type = "button";
      remove.setAttribute("aria-label", `Remove ${f.name}`);
      remove.addEventListener("click", () => { this.chosen.remove(f); byId("note").textContent = ""; this.update(); });
    }
  }

  fail(text, hint) {
    byId("failure-text").textContent = text;
    byId("failure-hint").textContent = hint;
    this.show("failure", true);
  }

  // busy shows the stage of the work, or hides it.
  busy(stage) {
    clearInterval(this.clock);
    clearTimeout(this.later);
    if (!stage) {
      this.show("busy", false);
      return;
    }
    const begin = performance.now(), bar = byId("progress");
    let reading = null;
    this.reading = (r) => { reading = r; };
    const tell = () => {
      const seconds = (performance.now() - begin) / 1000;
      const part = reading && reading.size ? reading.done / reading.size : 0;
      if (part > 0 && part < 0.999) bar.value = part;
      else bar.removeAttribute("value");
      byId("stage").textContent = `${stage}${part > 0 && part < 0.999 ? `: ${reading.name} ${Math.floor(100 * part)} %` : ""}, ${seconds.toFixed(1)} s`;
    };
    tell();
    this.later = setTimeout(() => this.show("busy", true), 150);
    this.clock = setInterval(tell, 100);
  }

  cancel() {
    this.turn++;
    this.answers.cancel();
    this.views.cancel();
    this.done();
    byId("note").textContent = "Canceled. Change an option to compute again.";
    byId("view-note").textContent = "";
  }

  // run runs the command in the engine for answers.
  run(args, stage) {
    if (stage) this.busy(stage);
    return this.answers.run(args, this.chosen.inputs(), (r) => this.reading?.(r));
  }

  // locatePoints shows the answers of the points. It returns false if there are none.
  async locatePoints(turn) {
    const args = this.locate(), begin = performance.now();
    const r = await this.run([...args, "--out", "result", "--json", "--quiet"], "Points");
    if (turn !== this.turn) return false;
    const json = r.stderr.split("\n").find((line) => line.startsWith("{"));
    if (failed(r) || !json) {
      await this.refuse(r, turn);
      return false;
    }
    const took = (performance.now() - begin) / 1000;
    this.result = { key: args.join("\0"), blob: new Map(r.outputs).get("result") };
    this.showCounts(JSON.parse(json), took);
    if (r.code !== 0) {
      const { text } = messageOf({ ...r, stderr: r.stderr.replace(json, "") });
      this.fail(text, "");
    }
    return true;
  }

  // refuse shows the error of a run. If the columns of the points are the problem, it asks for them.
  async refuse(r, turn) {
    const { text, hint } = messageOf(r), guess = /^--columns (\S+,\S+)/.exec(hint);
    if (!hint.includes("--columns")) {
      this.fail(text, hint);
      return;
    }
    const [points] = this.chosen.of("points");
    const head = /^(npy|ply|las|laz|parquet)$/.test(suffix(points.name)) ? "" : await start(points.file, 2000).catch(() => "");
    if (turn !== this.turn) return;
    this.fail(text, "Enter the columns of x, y and z, by header or by number from 1.");
    byId("columns-guess").value = guess ? guess[1] : "";
    byId("preview").textContent = head.split("\n").slice(0, 5).join("\n");
    this.show("preview-part", Boolean(head));
    this.show("columns-form", true);
    byId("columns-guess").focus();
  }

  showCounts(s, took) {
    const body = byId("counts").tBodies[0];
    body.replaceChildren();
    const row = (className, label, n) => {
      const tr = add(body, "tr", undefined, className), th = add(tr, "th");
      th.scope = "row";
      if (className !== "total") add(th, "i");
      th.append(label);
      add(tr, "td", grouped(n));
      add(tr, "td", s.points ? `${(100 * n / s.points).toFixed(1)} %` : "");
      const bar = add(add(tr, "td", undefined, "share"), "b");
      bar.style.width = n && className !== "total" ? `max(2px, ${100 * n / s.points}%)` : "0";
    };
    row("inside", "inside", s.inside);
    row("outside", "outside", s.outside);
    row("on", "on the surface", s.on);
    row("uncertain", "uncertain", s.uncertain);
    row("total", "all", s.points);
    const columns = s.columns ? `, columns ${s.columns.join(", ")} are x, y, z` : "";
    byId("answer-note").textContent = `${took.toFixed(2)} s, method ${s.method}, rule ${s.rule}${columns}`;
    for (const w of s.warnings) add(byId("warnings"), "p", w, "warning");
    Object.assign(document.documentElement.dataset, { inside: s.inside, outside: s.outside, on: s.on, uncertain: s.uncertain, seconds: took.toFixed(3) });
    for (const id of ["answer", "save", "save-result", "explain"]) this.show(id, true);
  }

  // check shows the defects of the meshes.
  async check(turn) {
    const list = [];
    for (const mesh of this.meshes()) {
      const r = await this.run(["check", mesh, "--json", "--quiet"], "Mesh");
      if (turn !== this.turn) return;
      if (failed(r)) {
        if (byId("failure").hidden) await this.refuse(r, turn);
        return;
      }
      list.push(JSON.parse(r.stdout));
    }
    const sum = (...keys) => list.reduce((n, m) => n + keys.reduce((k, key) => k + (m[key] ?? m.intersections?.[key] ?? 0), 0), 0);
    const line = byId("mesh-line"), bad = list.some((m) => m.defects);
    line.textContent = `${list.length > 1 ? `${list.length} meshes, ` : ""}${grouped(sum("triangles"))} triangles, ${list.every((m) => m.zero_boundary) ? "closed" : "not closed"}, `;
    add(line, "span", bad ? "with defects" : "no defects found", bad ? "bad" : "good");
    const body = byId("defects").tBodies[0];
    body.replaceChildren();
    for (const [label, n] of [
      ["open edges", sum("boundary_edges")], ["misoriented edges", sum("misoriented_edges")], ["unbalanced non-manifold edges", sum("unbalanced_edges")],
      ["faces turned over", sum("turned_faces")], ["duplicate faces", sum("duplicate_faces")], ["faces without area", sum("zero_area_faces", "collapsed_faces")],
      ["pairs of faces that cross or overlap", sum("crossing", "overlapping")], ["components that face inward", sum("inward_components")],
    ]) {
      if (!n) continue;
      const tr = add(body, "tr");
      add(tr, "th", label).scope = "row";
      add(tr, "td", grouped(n));
    }
    const shown = [...byId("warnings").children].map((e) => e.textContent);
    for (const m of list) {
      for (const w of m.warnings ?? []) {
        if (!shown.some((text) => text.endsWith(w))) add(byId("warnings"), "p", list.length > 1 ? `${m.mesh}: ${w}` : w, "warning");
      }
    }
    for (const id of ["mesh", "save", "explain"]) this.show(id, true);
    this.show("save-result", Boolean(this.result));
  }

  // draw shows the meshes and the points in 3D.
  async draw(turn, points) {
    const note = byId("view-note");
    note.textContent = "Drawing…";
    const args = ["view", ...this.meshes(), ...points, "--out", "view.html", "--quiet", "--pixels", "256", "--most", "200000",
      ...this.solidFlags(), ...(points.length ? [...this.flags("data-points"), ...pick(this.more(), pointFlags)] : [])];
    let r;
    try {
      r = await this.views.run(args, this.chosen.inputs());
    } catch (err) {
      if (turn === this.turn && !(err instanceof Stopped)) note.textContent = `The 3D view failed: ${err.message}`;
      return;
    }
    if (turn !== this.turn) return;
    const page = new Map(r.outputs).get("view.html");
    if (failed(r) || !page) {
      note.textContent = byId("failure").hidden ? `There is no 3D view: ${messageOf(r).text}` : "";
      return;
    }
    note.textContent = "";
    this.view = new Blob([page], { type: "text/html" });
    this.address = URL.createObjectURL(this.view);
    const frame = document.createElement("iframe");
    Object.assign(frame, { id: "frame", title: "3D view", allow: "clipboard-write", src: this.address });
    frame.sandbox = "allow-scripts allow-downloads";
    this.frame = frame;
    await new Promise((resolve) => {
      frame.addEventListener("load", resolve, { once: true });
      byId("view").append(frame);
    });
    if (turn !== this.turn) return;
    byId("save-view").disabled = false;
  }

  // saved returns the result in the chosen format.
  async saved() {
    const args = this.locate(), key = args.join("\0");
    if (this.result && this.result.key === key) return this.result.blob;
    const r = await this.run([...args, "--out", "result", "--quiet"], "Writing");
    const blob = new Map(r.outputs).get("result");
    if (failed(r) || !blob) {
      const { text, hint } = messageOf(r);
      this.fail(text, hint);
      return null;
    }
    this.result = { key, blob };
    return blob;
  }

  // guard runs an action of the user and shows its error.
  async guard(action) {
    this.show("failure", false);
    try {
      await action();
    } catch (err) {
      if (!(err instanceof Stopped)) this.fail(err.message || String(err), "");
    }
    if (!this.answers.busy) this.busy("");
  }

  download() {
    return this.guard(async () => {
      const name = this.resultName(), packed = byId("gzip").checked, blob = await this.saved();
      if (!blob) return;
      offer(name + (packed ? ".gz" : ""), packed ? await new Response(blob.stream().pipeThrough(new CompressionStream("gzip"))).blob() : blob);
    });
  }

  // report offers the output of the commands as a text file.
  report() {
    return this.guard(async () => {
      const runs = [["version"], ...this.meshes().map((mesh) => ["check", mesh])];
      if (this.points().length) runs.push([...this.locate(), "--out", this.resultName(), "--verbose"]);
      const parts = [];
      for (const args of runs) {
        const r = await this.run(args, "Report");
        parts.push("$ " + ["inpoly", ...args].map(quoted).join(" ") + "\n" + r.stdout + r.stderr);
      }
      if (this.explained) parts.push(this.explained);
      offer(this.base() + "-report.txt", new Blob([parts.join("\n")], { type: "text/plain" }));
    });
  }

  // explain shows why a point has its side: for the given mesh, or for each of several meshes.
  explain(place, file = "") {
    return this.guard(async () => {
      const point = place.trim().replace(/[\s;]+/g, place.includes(",") ? "" : ",");
      const names = this.meshes().filter((m) => !file || m === argument(file)), meshes = names.length ? names : this.meshes();
      const pre = byId("explanation"), parts = [];
      pre.textContent = "…";
      pre.hidden = false;
      for (const mesh of meshes) {
        const args = ["explain", mesh, ...this.solidFlags(), point];
        const r = await this.run(args, "");
        const text = failed(r) ? messageOf(r).text + "\n" : r.stdout;
        parts.push(meshes.length > 1 ? `${mesh}\n${text}` : text);
        if (!failed(r)) this.explained = "$ " + ["inpoly", ...args].map(quoted).join(" ") + "\n" + r.stdout;
      }
      pre.textContent = parts.join("\n");
      this.frame?.contentWindow?.postMessage({ type: "inpoly-explained", place, text: pre.textContent }, "*");
    });
  }
}

if (typeof DecompressionStream === "undefined" || typeof WebAssembly === "undefined") {
  byId("note").textContent = "This browser is too old: the page needs WebAssembly and DecompressionStream.";
} else {
  globalThis.page = new Page();
  const begin = performance.now();
  compile().then(() => {
    document.documentElement.dataset.compiled = (performance.now() - begin).toFixed(0);
    document.documentElement.dataset.ready ??= "yes";
  }, (err) => page.fail("This browser cannot run the page: " + err.message, ""));
}
