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
  ctx.fillStyle = ink;
  ctx.font = "600 15px system-ui, sans-serif";
  ctx.textBaseline = "top";
  ctx.fillText(settings.name, 14, 12, width - 28);
  const rows = legendRows(page);
  let y = height - 14 - 20 * rows.items.length - (rows.bar ? 54 : 0);
  ctx.font = "13px system-ui, sans-serif";
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
