// Modules with little memory.

// Returns the module with a memory of at most 64 MiB more than it starts with. The section 5 of a
// module has the number of memories, a flag (0: no limit) and the initial number of pages.
export function limit(bytes) {
  const number = (at) => {
    let value = 0;
    for (let shift = 0; ; shift += 7, at++) {
      value |= (bytes[at] & 127) << shift;
      if (bytes[at] < 128) return [value, at + 1];
    }
  };
  const coded = (value) => (value < 128 ? [value] : [(value & 127) | 128, ...coded(value >> 7)]);
  for (let at = 8; at < bytes.length;) {
    const [size, begin] = number(at + 1);
    if (bytes[at] === 5) {
      const [pages] = number(begin + 2);
      const section = [1, 1, ...coded(pages), ...coded(pages + 1024)];
      return new Uint8Array(Buffer.concat([
        bytes.subarray(0, at), Buffer.from([5, ...coded(section.length), ...section]), bytes.subarray(begin + size),
      ]));
    }
    at = begin + size;
  }
  throw new Error("the module has no memory");
}
