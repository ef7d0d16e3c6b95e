// InpolyError is the error of all functions of inpoly. Its code is one of the names in docs/javascript.md.
export class InpolyError extends Error {
  constructor(code, message, options) {
    super(message, options);
    this.name = "InpolyError";
    this.code = code;
  }
}
