// The global scope of a Go program, so that it neither sees nor changes the real one.

// system has what stands for an operating system: fs, process and path.
export function scope(system) {
  return {
    ...system,
    Array, Object, Error, Date, Math, JSON, Promise, Map, Set, ArrayBuffer, DataView,
    Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array,
    crypto: globalThis.crypto ?? { getRandomValues: weakRandom }, performance, TextEncoder, TextDecoder,
  };
}

// Fills an array with numbers that need not be secret: the program uses them only for its hash tables.
// Node 18 has no global crypto.
function weakRandom(array) {
  for (let i = 0; i < array.length; i++) array[i] = Math.random() * 256;
  return array;
}
