// The card with the explanation of a picked place, and measuring.

// rowNumber returns the number of the row of a point, from 1.
function rowNumber(scene, i) { return (scene.rows ? scene.rows[i] : i) + 1; }

const exactPlace = (scene, i) => scene.point.map((list) => list[i]);

// localPlace converts exact coordinates to the coordinates that are drawn.
const localPlace = ({ center, scale }, place) => place.map((x, k) => (x - center[k]) / scale);

// surfacePlace returns the exact place with the weights u and v of a triangle.
function surfacePlace(scene, { face, u, v }) {
  const [a, b, c] = [0, 1, 2].map((k) => scene.faces[3 * face + k]);
  return scene.vertex.map((list) => list[a] + u * (list[b] - list[a]) + v * (list[c] - list[a]));
}

class Info {
  constructor(scene, closed) {
    this.scene = scene;
    this.card = document.getElementById("info");
    this.body = document.getElementById("info-body");
    document.getElementById("info-close").addEventListener("click", () => { this.card.hidden = true; closed(); });
    document.getElementById("info-copy").addEventListener("click", () => this.copy());
    this.place = ""; // the place of the command
    if (parent !== window) addEventListener("message", (e) => { if (e.source === parent) this.explained(e.data); });
  }

  // ask shows the command that explains a place. A page that has this page in a frame learns the place, and
  // can answer with the output of the command.
  ask(file, place) {
    this.place = place.join(",");
    this.command(command(file, place));
    if (parent !== window) parent.postMessage({ type: "inpoly-picked", file, place: this.place }, "*");
  }

  // explained shows the answer of the other page if its place is still shown.
  explained(answer) {
    if (!answer || answer.type !== "inpoly-explained" || answer.place !== this.place) return;
    const text = document.getElementById("info-text");
    text.textContent = String(answer.text);
    text.hidden = false;
  }

  row(label, value) {
    const tr = add(this.table, "tr");
    add(tr, "th", label).scope = "row";
    add(tr, "td", value);
  }

  start(title, note) {
    document.getElementById("info-title").textContent = title;
    this.body.replaceChildren();
    if (note) add(this.body, "p", note, "sub");
    this.table = add(this.body, "table");
    this.place = "";
    document.getElementById("info-text").hidden = true;
    this.card.hidden = false;
    this.card.scrollTop = 0;
  }

  command(text) {
    document.getElementById("info-command").textContent = text;
    document.getElementById("info-copied").textContent = "";
    document.getElementById("info-line").hidden = !text;
  }

  copy() {
    const code = document.getElementById("info-command"), done = document.getElementById("info-copied");
    const select = () => {
      getSelection().selectAllChildren(code);
      done.textContent = document.execCommand("copy") ? "copied" : "selected: copy it with the keyboard";
    };
    if (!navigator.clipboard) { select(); return; }
    navigator.clipboard.writeText(code.textContent).then(() => { done.textContent = "copied"; }, select);
  }

  // file returns the name of the mesh file of a body.
  file(body) { return this.scene.settings.files[body] || "MESH"; }

  point(i) {
    const { scene } = this, place = exactPlace(scene, i);
    this.start("Point in row " + rowNumber(scene, i));
    place.forEach((x, k) => this.row("xyz"[k], String(x)));
    this.row("state", scene.settings.sideNames[scene.sides[i]]);
    for (const c of scene.channels) {
      if (c.kind === "state") continue;
      const value = c.data[i], text = textOf(c, value);
      if (c.key === "winding" && scene.bound[i] > 0) this.row("winding", `${text} ± ${Number(scene.bound[i].toPrecision(2))}`);
      else this.row(c.name, text);
    }
    const body = scene.channels.find((c) => c.key === "body"), names = scene.settings.bodies;
    const own = body && body.data[i] >= 0 ? names.findIndex((n) => n === body.words[body.data[i]] || n.startsWith(body.words[body.data[i]] + "/")) : 0;
    this.ask(this.file(Math.max(0, own)), place);
  }

  face(hit) {
    const { scene } = this, f = hit.face, corners = [0, 1, 2].map((k) => scene.faces[3 * f + k]);
    const place = surfacePlace(scene, hit), digits = (x) => placeText(x, scene.settings.scale);
    const body = scene.body ? scene.body[f] : 0;
    if (scene.settings.reduced) this.start("Triangle of the simplified mesh", "The drawn mesh is simplified, so this triangle has no number in the file.");
    else this.start("Face " + (scene.numbers ? scene.numbers[f] : f));
    if (scene.settings.bodies[body]) this.row("body", scene.settings.bodies[body]);
    if (!scene.settings.reduced) {
      corners.forEach((v, k) => this.row("corner " + "abc"[k], scene.vertex.map((list) => list[v]).join("\n")));
      const n = this.normal(corners);
      this.row("normal", n.normal ? n.normal.map((x) => Number(x.toFixed(6))).join("\n") : "none");
      this.row("area", String(Number(n.area.toPrecision(9))));
      const found = defectsOf(scene, f), sampled = scene.layers.some((l) => !l.all);
      this.row("defects", (found.length ? found.map((l) => l.name).join("\n") : "none") + (sampled ? "\n(of the drawn ones)" : ""));
    }
    this.row("place", place.map(digits).join("\n"));
    this.ask(this.file(body), place.map(digits));
  }

  // normal returns the unit normal and the area of a triangle, from exact coordinates.
  normal(corners) {
    const { scale } = this.scene.settings, at = (v) => this.scene.vertex.map((list) => list[v]), [a, b, c] = corners.map(at);
    const u = b.map((x, k) => (x - a[k]) / scale), v = c.map((x, k) => (x - a[k]) / scale); // no overflow
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]], l = Math.hypot(...n);
    return { normal: l > 0 ? n.map((x) => x / l) : null, area: l / 2 * scale * scale };
  }

  // measure shows one or two measured places, [text, place].
  measure(places) {
    this.start("Distance", places.length === 2 ? "" : places.length ? "Pick the second place." : "Pick two places: points or places on the surface.");
    places.forEach(([name, place], k) => this.row(`${"AB"[k]}: ${name}`, place.map(String).join("\n")));
    this.command("");
    if (places.length < 2) return;
    const d = places[1][1].map((x, k) => x - places[0][1][k]);
    this.row("distance", String(Number(Math.hypot(...d).toPrecision(12))));
    d.forEach((x, k) => this.row("Δ" + "xyz"[k], String(Number(x.toPrecision(12)))));
  }
}
