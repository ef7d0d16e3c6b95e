// savePicture offers the 3D picture with its name and its legend as a PNG file. The canvas must just have
// been drawn, because a browser discards the drawing after it has shown it.
function savePicture(canvas, page) {
  const { settings } = page.scene, out = document.createElement("canvas"), ratio = page.ratio();
  [out.width, out.height] = [canvas.width, canvas.height];
  const ctx = out.getContext("2d"), ink = page.ink();
  ctx.drawImage(canvas, 0, 0);
  page.marks.draw(ctx, ratio);
  ctx.scale(ratio, ratio);
  const width = out.width / ratio, height = out.height / ratio;
  // card covers the picture behind a text.
  const card = (x, y, w, h) => {
    ctx.fillStyle = page.dark.matches ? "#10141ad9" : "#f5f7fad9";
    ctx.beginPath();
    ctx.roundRect(x, y, Math.min(w, width - 12), h, 6);
    ctx.fill();
  };
  ctx.font = "600 15px system-ui, sans-serif";
  ctx.textBaseline = "top";
  card(6, 6, ctx.measureText(settings.name).width + 16, 27);
  ctx.fillStyle = ink;
  ctx.fillText(settings.name, 14, 12, width - 28);
  const rows = legendRows(page), tall = 20 * rows.items.length + (rows.bar ? 54 : 0);
  let y = height - 14 - tall;
  ctx.font = "13px system-ui, sans-serif";
  const wide = Math.max(rows.bar ? 290 : 0, ...rows.items.map(([, text]) => ctx.measureText(text).width + 34));
  if (tall) card(6, y - 6, wide, tall + 12);
  for (const [tint, text] of rows.items) {
    ctx.fillStyle = tint;
    ctx.beginPath();
    ctx.arc(20, y + 8, 5, 0, 7);
    ctx.fill();
    ctx.fillStyle = ink;
    ctx.fillText(text, 32, y + 1, width - 46);
    y += 20;
  }
  if (rows.bar) {
    ctx.fillStyle = ink;
    ctx.fillText(rows.bar.name, 14, y, width - 28);
    drawBar(ctx, 28, y + 18, Math.min(260, width - 56), rows.bar, ink);
  }
  out.toBlob((blob) => {
    const a = document.createElement("a");
    a.href = URL.createObjectURL(blob);
    a.download = settings.name.replace(/\.[^.]*$/, "").replace(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 80) + "-view.png";
    a.click();
    setTimeout(() => URL.revokeObjectURL(a.href), 10000);
  }, "image/png");
}

// legendRows returns the entries of the legend in a saved picture: what is visible.
function legendRows(page) {
  const { scene, legend } = page, show = page.show(), items = [];
  if (scene.sides.length && show.sides.some((on) => on)) {
    if (legend && legend.stops) return { items, bar: legend };
    if (legend) items.push(...legend.items.map((item) => [item.color, item.name || "(empty)"]));
    else [3, 1, 2, 0].forEach((side) => { if (show.sides[side] && scene.counts[side]) items.push([scene.settings.sides[side], scene.settings.sideNames[side]]); });
  }
  scene.layers.forEach((l) => { if (show.layers[l.key]) items.push([l.color, l.name]); });
  return { items };
}
