// The lists of the panel that depend on the scene.

const mostBodies = 500; // bodies that have a check box of their own

// fillColors fills the list of quantities that can color the points.
function fillColors(scene) {
  const select = document.getElementById("color");
  if (!select) return;
  scene.channels.forEach((c, i) => { add(select, "option", c.name).value = i; });
  select.value = scene.settings.color;
}

// fillBodies fills the list of bodies. The list is hidden if there is one body. changed is called with the
// set of hidden bodies.
class Bodies {
  constructor(scene, changed) {
    this.count = scene.settings.bodies.length;
    this.hidden = new Set();
    this.boxes = [];
    if (!scene.body) return;
    document.getElementById("bodies").hidden = false;
    const sizes = new Array(this.count).fill(0), list = document.getElementById("body-list");
    for (const [body, n] of scene.settings.runs) sizes[body] += n;
    scene.settings.bodies.slice(0, mostBodies).forEach((name, i) => {
      const label = add(list, "label"), box = add(label, "input");
      box.type = "checkbox";
      box.checked = true;
      box.dataset.body = i;
      add(label, "span", name, "name");
      add(label, "span", grouped(sizes[i]), "count");
      box.addEventListener("change", () => { this.show(i, box.checked); changed(); });
      this.boxes.push(box);
    });
    if (this.count > mostBodies) add(list, "p", `and ${grouped(this.count - mostBodies)} more bodies, which are switched together with “all” and “none”`, "sub");
    for (const [id, on] of [["bodies-all", true], ["bodies-none", false]]) {
      document.getElementById(id).addEventListener("click", () => { this.set(on ? [] : Array.from({ length: this.count }, (_, i) => i)); changed(); });
    }
  }

  show(i, on) { if (on) this.hidden.delete(i); else this.hidden.add(i); }

  set(hidden) {
    this.hidden = new Set(hidden);
    this.boxes.forEach((box, i) => { box.checked = !this.hidden.has(i); });
  }

  text() { return runs([...this.hidden].sort((a, b) => a - b)); }
}
