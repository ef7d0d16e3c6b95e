// InpolyError is the error of all functions of inpoly. Its code is one of the names in docs/javascript.md.
export class InpolyError extends Error {
  constructor(code, message, options) {
    super(message, options);
    this.name = "InpolyError";
    this.code = code;
  }
}

// Whether the text of a module or of an exception says that the memory is full.
export function isFull(text) {
  return /out of memory|cannot allocate|Invalid array buffer length/i.test(text);
}
