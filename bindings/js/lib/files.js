// The files of one run of the command, in memory. A Files object implements the part of Node's module fs
// that Go calls (syscall/fs_js.go). Inputs are Uint8Arrays, Blobs (only in workers of browsers), or objects
// {size, read(from, to)} whose method returns a Uint8Array. Blobs and such objects are read in pieces, so an
// input can be larger than the memory. Outputs are lists of pieces.

const pieceSize = 4 << 20; // bytes

const flagsOf = { O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_DIRECTORY: 65536 };

function decoder(fatal) { return new TextDecoder("utf-8", { fatal, ignoreBOM: true }); }

// Failure is an error with a code that Go knows.
class Failure extends Error {
  constructor(code) {
    super(code);
    this.code = code;
  }
}

function failure(code) { return new Failure(code); }

// readPiece returns the bytes of an input between two offsets.
function readPiece(content, from, to) {
  if (typeof content.read === "function") return content.read(from, to);
  return new Uint8Array(new FileReaderSync().readAsArrayBuffer(content.slice(from, to)));
}

// Input is a file that the user has given. It keeps the last piece that was read.
class Input {
  constructor(content) {
    this.content = content;
    this.size = content instanceof Uint8Array ? content.length : content.size;
    this.from = 0;
    this.piece = content instanceof Uint8Array ? content : new Uint8Array(0);
  }

  // read copies bytes from an offset and returns their number.
  read(target, offset) {
    const end = Math.min(this.size, offset + target.length);
    for (let at = offset; at < end;) {
      if (at < this.from || at >= this.from + this.piece.length) {
        this.from = at;
        this.piece = readPiece(this.content, at, Math.min(this.size, at + Math.max(pieceSize, end - at)));
        if (this.piece.length === 0) throw failure("EIO"); // the file has become shorter
      }
      const part = this.piece.subarray(at - this.from, end - this.from);
      target.set(part, at - offset);
      at += part.length;
    }
    return Math.max(0, end - offset);
  }

  // An output can replace an input, but nothing changes its bytes.
  write() { throw failure("EACCES"); }
  resize() { throw failure("EACCES"); }
}

// Output is a file that the command writes.
class Output {
  constructor() {
    this.pieces = [];
    this.size = 0;
  }

  // each calls f with the parts of the pieces between two offsets, and the place of each part.
  each(from, to, f) {
    for (let at = from; at < to;) {
      const piece = this.pieces[Math.floor(at / pieceSize)], start = at % pieceSize, n = Math.min(to - at, pieceSize - start);
      f(piece.subarray(start, start + n), at - from);
      at += n;
    }
  }

  read(target, offset) {
    const end = Math.min(this.size, offset + target.length);
    this.each(offset, end, (part, at) => target.set(part, at));
    return Math.max(0, end - offset);
  }

  write(source, offset) {
    this.resize(Math.max(this.size, offset + source.length));
    this.each(offset, offset + source.length, (part, at) => part.set(source.subarray(at, at + part.length)));
  }

  resize(size) {
    if (size < this.size) this.each(size, this.size, (part) => part.fill(0)); // the file can grow again
    while (this.pieces.length * pieceSize < size) this.pieces.push(new Uint8Array(pieceSize));
    this.pieces.length = Math.ceil(size / pieceSize);
    this.size = size;
  }

  blob() {
    const parts = [];
    this.each(0, this.size, (part) => parts.push(part));
    return new Blob(parts);
  }
}

export class Files {
  // inputs are [name, content], and refusal accepts the names. moved is called with the name, the offset and the size of an input that
  // has just been read.
  constructor(inputs, moved) {
    this.constants = flagsOf;
    this.moved = moved;
    this.text = { 1: "", 2: "" }; // standard output and standard error
    this.decoders = { 1: decoder(true), 2: decoder(false) };
    this.binary = false; // whether standard output is not text in UTF-8
    this.crashed = false; // whether Go's runtime has printed, which it does only at a panic or when the memory is full
    this.nodes = new Map();
    this.opened = new Map(); // descriptors
    this.next = 3;
    this.inodes = 0;
    for (const folder of ["/", "/tmp"]) this.add(folder, null);
    for (const [name, content] of inputs) {
      const path = Files.resolve(name);
      for (let end = path.indexOf("/", 1); end > 0; end = path.indexOf("/", end + 1)) {
        if (!this.nodes.has(path.slice(0, end))) this.add(path.slice(0, end), null);
      }
      this.add(path, new Input(content));
    }
    for (const name of Object.getOwnPropertyNames(Files.calls)) {
      this[name] = (...args) => {
        const done = args.pop();
        let result;
        try {
          result = Files.calls[name].apply(this, args);
        } catch (err) {
          done(err instanceof Failure ? err : failure(err instanceof RangeError ? "ENOMEM" : "EIO"));
          return;
        }
        done(null, result);
      };
    }
  }

  // refusal returns why these names cannot be the names of inputs. It is undefined if they can.
  static refusal(names) {
    const paths = new Set(["/", "/tmp"]);
    for (const name of names) {
      const path = Files.resolve(name);
      if (name === "" || name.endsWith("/") || name.includes("\0")) return `${JSON.stringify(name)} is not a name of a file`;
      if (paths.has(path)) return `the name ${JSON.stringify(name)} is already in use`;
      paths.add(path);
    }
    for (const name of names) {
      const folder = Files.resolve(name) + "/";
      if ([...paths].some((p) => p.startsWith(folder))) return `${JSON.stringify(name)} is a file and a folder`;
    }
    return undefined;
  }

  // outputs returns the written files as [name, Blob].
  outputs() {
    return [...this.nodes].filter(([, node]) => node.data instanceof Output).map(([path, node]) => [path.slice(1), node.data.blob()]);
  }

  add(path, data) {
    const node = { inode: ++this.inodes, data, mode: data ? 0o644 : 0o755, time: Date.now() };
    this.nodes.set(path, node);
    return node;
  }

  node(path) {
    const node = this.nodes.get(Files.resolve(path));
    if (!node) throw failure("ENOENT");
    return node;
  }

  // parent checks that the folder of a new file exists.
  parent(path) {
    const folder = this.nodes.get(path.slice(0, Math.max(1, path.lastIndexOf("/"))));
    if (!folder) throw failure("ENOENT");
    if (folder.data) throw failure("ENOTDIR");
  }

  at(fd) {
    const file = this.opened.get(fd);
    if (!file) throw failure("EBADF");
    return file;
  }

  // file returns the content of an open file that is no folder.
  file(fd) {
    const { node } = this.at(fd);
    if (!node.data) throw failure("EISDIR");
    return node.data;
  }

  children(path) {
    const prefix = path === "/" ? "/" : path + "/";
    return [...this.nodes.keys()].filter((p) => p !== "/" && p.startsWith(prefix) && !p.includes("/", prefix.length)).map((p) => p.slice(prefix.length));
  }

  // print adds bytes to standard output or standard error.
  print(fd, bytes, stream = true) {
    try {
      this.text[fd] += this.decoders[fd].decode(bytes, { stream });
    } catch (err) {
      if (this.binary || fd !== 1 || !(err instanceof TypeError)) throw err;
      this.binary = true;
      this.decoders[1] = decoder(false);
      this.print(fd, bytes, stream);
    }
  }

  // printed returns the texts after the end of the run.
  printed() {
    for (const fd of [1, 2]) this.print(fd, new Uint8Array(0), false);
    return { stdout: this.text[1], stderr: this.text[2], binary: this.binary };
  }

  // writeSync is the call of Go's runtime, which prints panics.
  writeSync(fd, bytes) {
    this.crashed = true;
    this.print(fd, bytes);
    return bytes.length;
  }

  // resolve returns the absolute path, without "." and "..".
  static resolve(...paths) {
    const parts = [];
    for (const part of paths.join("/").split("/")) {
      if (part === "..") parts.pop();
      else if (part !== "" && part !== ".") parts.push(part);
    }
    return "/" + parts.join("/");
  }

  static stat(node, device) {
    const size = node.data ? node.data.size : 0, type = device ? 0o020000 : node.data ? 0o100000 : 0o040000;
    return {
      dev: 1, ino: node.inode, mode: type | node.mode, nlink: 1, uid: 0, gid: 0, rdev: 0, size, blksize: 4096, blocks: Math.ceil(size / 512),
      atimeMs: node.time, mtimeMs: node.time, ctimeMs: node.time, isDirectory: () => !device && !node.data,
    };
  }
}

// The calls of Go, without their callbacks.
Files.calls = {
  open(path, flags) {
    path = Files.resolve(path);
    let node = this.nodes.get(path);
    const writing = (flags & (flagsOf.O_WRONLY | flagsOf.O_RDWR)) !== 0;
    if (!node) {
      if (!(flags & flagsOf.O_CREAT)) throw failure("ENOENT");
      this.parent(path);
      node = this.add(path, new Output());
    } else if (flags & flagsOf.O_CREAT && flags & flagsOf.O_EXCL) {
      throw failure("EEXIST");
    }
    if (!node.data && writing) throw failure("EISDIR");
    if (node.data && flags & flagsOf.O_DIRECTORY) throw failure("ENOTDIR");
    if (flags & flagsOf.O_TRUNC) node.data.resize(0);
    this.opened.set(this.next, { node, path, offset: 0, append: (flags & flagsOf.O_APPEND) !== 0 });
    return this.next++;
  },
  close(fd) {
    if (fd > 2) this.at(fd);
    this.opened.delete(fd);
  },
  read(fd, buffer, from, length, position) {
    if (fd === 0) return 0;
    const data = this.file(fd), file = this.at(fd), offset = position === null ? file.offset : position;
    const n = data.read(buffer.subarray(from, from + length), offset);
    if (position === null) file.offset += n;
    if (data instanceof Input) this.moved(file.path.slice(1), offset + n, data.size);
    return n;
  },
  write(fd, buffer, from, length, position) {
    const bytes = buffer.subarray(from, from + length);
    if (fd === 1 || fd === 2) {
      this.print(fd, bytes);
      return length;
    }
    const data = this.file(fd), file = this.at(fd);
    if (file.append) file.offset = data.size;
    data.write(bytes, position === null ? file.offset : position);
    if (position === null) file.offset += length;
    return length;
  },
  stat(path) { return Files.stat(this.node(path), false); },
  lstat(path) { return Files.stat(this.node(path), false); },
  fstat(fd) { return fd < 3 ? Files.stat({ inode: 1e6 + fd, data: null, mode: 0o600, time: 0 }, true) : Files.stat(this.at(fd).node, false); },
  ftruncate(fd, length) { this.file(fd).resize(length); },
  truncate(path, length) {
    const { data } = this.node(path);
    if (!data) throw failure("EISDIR");
    data.resize(length);
  },
  fsync() {},
  chmod(path, mode) { this.node(path).mode = mode & 0o777; },
  fchmod(fd, mode) { this.at(fd).node.mode = mode & 0o777; },
  chown() {},
  fchown() {},
  lchown() {},
  utimes(path, accessed, modified) { this.node(path).time = 1000 * modified; },
  mkdir(path) {
    path = Files.resolve(path);
    if (this.nodes.has(path)) throw failure("EEXIST");
    this.parent(path);
    this.add(path, null);
  },
  readdir(path) {
    if (this.node(path).data) throw failure("ENOTDIR");
    return this.children(Files.resolve(path));
  },
  rmdir(path) {
    if (this.node(path).data) throw failure("ENOTDIR");
    if (this.children(Files.resolve(path)).length > 0) throw failure("ENOTEMPTY");
    this.nodes.delete(Files.resolve(path));
  },
  unlink(path) {
    if (!this.node(path).data) throw failure("EISDIR");
    this.nodes.delete(Files.resolve(path));
  },
  rename(from, to) {
    [from, to] = [Files.resolve(from), Files.resolve(to)];
    const node = this.node(from);
    this.parent(to);
    const old = this.nodes.get(to);
    if (!node.data || old && !old.data) throw failure("EISDIR");
    this.nodes.delete(from);
    this.nodes.set(to, node);
  },
  readlink(path) {
    this.node(path);
    throw failure("EINVAL"); // there are no links
  },
  link() { throw failure("ENOSYS"); },
  symlink() { throw failure("ENOSYS"); },
};
