// Writes and reads archives in the format ustar.

// Returns an archive of [name, bytes] pairs. Times and owners are fixed, so equal content gives equal
// bytes. 1985-10-26 is the time that npm uses.
export function tar(entries) {
  const blocks = [];
  for (const [name, data] of entries) {
    if (Buffer.byteLength(name) > 100) throw new Error(`${name}: the name is too long for an archive`);
    const header = Buffer.alloc(512);
    const octal = (value, at, width) => header.write(`${value.toString(8).padStart(width - 1, "0")}\0`, at);
    header.write(name, 0);
    octal(0o644, 100, 8);
    octal(0, 108, 8);
    octal(0, 116, 8);
    octal(data.length, 124, 12);
    octal(499162500, 136, 12);
    header.write("        0", 148); // a blank checksum, and the type of regular files
    header.write("ustar\x0000", 257);
    octal(header.reduce((sum, b) => sum + b, 0), 148, 7);
    blocks.push(header, data, Buffer.alloc(-data.length & 511));
  }
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

// Returns the [name, bytes] pairs of an archive that tar has written.
export function untar(data) {
  const entries = [];
  for (let at = 0; data[at] !== 0;) {
    const text = (from, to) => data.toString("latin1", at + from, at + to).split("\0")[0];
    const size = parseInt(text(124, 136), 8);
    entries.push([text(0, 100), data.subarray(at + 512, at + 512 + size)]);
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return entries;
}
