// The worker of inpoly/command in Node.

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { InpolyError } from "./errors.js";
import { serveCommand } from "./command-serve.js";

// Returns an input of Files. Node cannot read Blobs without a promise, so they are read before the run.
async function prepare(content) {
  if (content instanceof Blob) return new Uint8Array(await content.arrayBuffer());
  if (content.path === undefined) return content;
  try {
    return openFile(content.path);
  } catch (error) {
    throw new InpolyError("file", error.message, { cause: error });
  }
}

function openFile(path) {
  const fd = openSync(path);
  const stat = fstatSync(fd);
  if (!stat.isFile()) {
    closeSync(fd);
    throw new Error(`${path} is not a regular file`);
  }
  return {
    size: stat.size,
    read(from, to) {
      const piece = new Uint8Array(to - from);
      return piece.subarray(0, readSync(fd, piece, 0, piece.length, from));
    },
  };
}

parentPort.on("message", serveCommand((message) => parentPort.postMessage(message), prepare));
