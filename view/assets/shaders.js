const shaders = {
  // faces draws the mesh and faces with defects. Normals are computed from derivatives, so faces look flat.
  faces: [`#version 300 es
in vec3 position;
uniform mat4 view, projection;
uniform float bias;
uniform vec4 cut; // what lies beyond this plane is not drawn
out vec3 place;
out float beyond;
void main() {
  vec4 p = view * vec4(position, 1.0);
  place = p.xyz;
  beyond = dot(cut.xyz, position) - cut.w;
  gl_Position = projection * p;
  gl_Position.z -= bias * gl_Position.w;
}`, `#version 300 es
precision highp float;
in vec3 place;
in float beyond;
uniform vec3 tint;
uniform float opacity;
uniform int lit; // 0: translucent without lighting; 1: lighting
out vec4 result;
void main() {
  if (beyond > 0.0) discard;
  vec3 n = normalize(cross(dFdx(place), dFdy(place)));
  float facing = abs(dot(n, normalize(place)));
  if (!(facing <= 1.0)) facing = 1.0; // the face is parallel to the view
  if (lit == 0) {
    // All faces have the same color, so the order of the faces does not matter.
    float rim = 1.0 - facing;
    result = vec4(tint, opacity * (0.16 + 0.5 * rim * rim * rim));
    return;
  }
  float light = 0.45 + 0.5 * max(0.0, abs(dot(n, normalize(vec3(0.35, 0.6, 0.75)))));
  result = vec4(min(vec3(1.0), tint * light + 0.12 * pow(facing, 24.0)), opacity);
}`],

  points: [`#version 300 es
in vec3 position;
in vec3 color;
in float side;
uniform mat4 view, projection;
uniform vec4 visible, cut;
uniform vec4 band; // only points within the distance band.w of the plane band.xyz are drawn; any point if band.w < 0
uniform float offset, size, small, rimmed;
out vec3 tint;
out float rim;
out float light;
void main() {
  int s = int(side + 0.5);
  float height = dot(band.xyz, position) - offset;
  gl_Position = projection * view * vec4(rimmed > 0.0 ? position - height * band.xyz : position, 1.0); // on the slice
  gl_Position.z -= 1e-4 * rimmed * gl_Position.w;
  bool far = band.w >= 0.0 && abs(height) > band.w;
  if (visible[s] < 0.5 || far || dot(cut.xyz, position) > cut.w) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
  // Points outside (side 1) are smaller if they surround the other points.
  gl_PointSize = clamp(size * (s == 1 ? small : 1.0) / max(gl_Position.w, 1e-9), 2.0, 40.0) + 2.0 * rimmed;
  tint = color;
  light = rimmed;
  rim = rimmed > 0.0 ? 0.5 : gl_PointSize > 4.5 ? 0.72 : 2.0; // very small discs have no rim
}`, `#version 300 es
precision mediump float;
in vec3 tint;
in float rim;
in float light;
uniform float opacity;
out vec4 result;
void main() {
  vec2 d = 2.0 * gl_PointCoord - 1.0;
  float r = dot(d, d);
  if (r > 1.0) discard;
  vec3 edge = light > 0.0 ? vec3(1.0) : tint * 0.72;
  result = vec4(r > rim ? edge : tint, opacity);
}`],

  // edges draws edges of the mesh, one pixel wide.
  edges: [`#version 300 es
in vec3 position;
uniform mat4 view, projection;
uniform vec4 cut;
uniform float bias;
out float beyond;
void main() {
  gl_Position = projection * view * vec4(position, 1.0);
  gl_Position.z -= bias * gl_Position.w;
  beyond = dot(cut.xyz, position) - cut.w;
}`, `#version 300 es
precision mediump float;
in float beyond;
uniform vec4 tint;
out vec4 result;
void main() {
  if (beyond > 0.0) discard;
  result = tint;
}`],

  // lines draws lines with a width in pixels. Each line is a strip of four corners.
  lines: [`#version 300 es
in vec2 corner; // x: 0 at the start, 1 at the end; y: −1 or 1 across the line
in vec3 start, end;
uniform mat4 view, projection;
uniform vec2 viewport;
uniform float width, near, bias;
void main() {
  vec4 a = view * vec4(start, 1.0), b = view * vec4(end, 1.0);
  float limit = -1.01 * near;
  if (a.z > limit && b.z > limit) {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    return;
  }
  // Clip the line to the part in front of the viewer.
  if (a.z > limit) a = mix(b, a, (limit - b.z) / (a.z - b.z));
  if (b.z > limit) b = mix(a, b, (limit - a.z) / (b.z - a.z));
  vec4 pa = projection * a, pb = projection * b;
  vec2 along = (pb.xy / pb.w - pa.xy / pa.w) * viewport;
  float l = length(along);
  along = l > 1e-6 ? along / l : vec2(1.0, 0.0);
  vec4 p = corner.x < 0.5 ? pa : pb;
  vec2 shift = (vec2(-along.y, along.x) * corner.y + along * (2.0 * corner.x - 1.0)) * width / viewport;
  p.xy += shift * p.w;
  p.z -= bias * p.w;
  gl_Position = p;
}`, `#version 300 es
precision mediump float;
uniform vec4 tint;
out vec4 result;
void main() { result = tint; }`],

  slice: [`#version 300 es
in vec3 position;
in vec2 place;
uniform mat4 view, projection;
out vec2 at;
void main() {
  at = place;
  gl_Position = projection * view * vec4(position, 1.0);
}`, `#version 300 es
precision mediump float;
in vec2 at;
uniform sampler2D picture;
uniform float strength, least; // places with an opacity below least are not drawn
out vec4 result;
void main() {
  result = texture(picture, at);
  result.a *= strength;
  if (result.a < least) discard;
}`],
};

// program compiles and links two shaders. at maps the names of uniforms and attributes to locations.
function program(gl, [vertex, fragment]) {
  const p = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const s = gl.createShader(kind);
    gl.shaderSource(s, text);
    gl.compileShader(s);
    if (!gl.getShaderParameter(s, gl.COMPILE_STATUS) && !gl.isContextLost()) throw new Error(gl.getShaderInfoLog(s));
    gl.attachShader(p, s);
  }
  gl.linkProgram(p);
  if (!gl.getProgramParameter(p, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(gl.getProgramInfoLog(p));
  const at = {};
  for (let i = gl.getProgramParameter(p, gl.ACTIVE_UNIFORMS) - 1; i >= 0; i--) {
    const name = gl.getActiveUniform(p, i).name.replace("[0]", "");
    at[name] = gl.getUniformLocation(p, name);
  }
  for (let i = gl.getProgramParameter(p, gl.ACTIVE_ATTRIBUTES) - 1; i >= 0; i--) {
    const name = gl.getActiveAttrib(p, i).name;
    at[name] = gl.getAttribLocation(p, name);
  }
  return { p, at };
}
