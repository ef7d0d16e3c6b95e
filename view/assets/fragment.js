// The fragment of the address has the state of the page: the camera, the controls that differ from their
// initial state, the slice and the hidden bodies. Opening the address restores the state.

// runs writes ascending numbers as ranges, such as "0-3,7". numbersOf reads them.
function runs(list) {
  const out = [];
  for (let i = 0, j; i < list.length; i = j) {
    for (j = i + 1; j < list.length && list[j] === list[j - 1] + 1;) j++;
    out.push(j - i > 1 ? `${list[i]}-${list[j - 1]}` : String(list[i]));
  }
  return out.join(",");
}

function numbersOf(text, limit) {
  const out = [];
  for (const part of text.split(",")) {
    const m = /^(\d+)(?:-(\d+))?$/.exec(part);
    if (!m) continue;
    for (let i = Number(m[1]); i <= Math.min(limit - 1, Number(m[2] ?? m[1])); i++) out.push(i);
  }
  return out;
}

const isSwitch = (e) => e.type === "checkbox" || e.type === "radio";

class Fragment {
  // controls are the elements whose state belongs to the page. Each has the attribute data-keep, which is its
  // name in the fragment.
  constructor(controls) {
    this.controls = controls;
    this.initial = new Map(controls.map((e) => [e, this.value(e)]));
  }

  value(e) { return isSwitch(e) ? (e.checked ? "1" : "0") : e.value; }

  set(e, value) {
    if (isSwitch(e)) e.checked = value === "1";
    else e.value = value;
  }

  // text returns the fragment without "#". more has further entries.
  text(more) {
    const out = new URLSearchParams();
    for (const [key, value] of Object.entries(more)) if (value) out.set(key, value);
    for (const e of this.controls) if (this.value(e) !== this.initial.get(e)) out.set(e.dataset.keep, this.value(e));
    return out.toString().replaceAll("%2C", ",").replaceAll("%3D", "=");
  }

  // restore sets the controls and returns all entries of a fragment. Controls without an entry get their
  // initial state.
  restore(text) {
    const entries = new URLSearchParams(text.replace(/^#/, ""));
    for (const e of this.controls) {
      const value = entries.get(e.dataset.keep);
      this.set(e, this.initial.get(e));
      if (value === null) continue;
      this.set(e, value);
      if (e.tagName === "SELECT" && e.selectedIndex < 0) this.set(e, this.initial.get(e)); // no such option
    }
    return entries;
  }
}
