package loaders_test

// knownDifference is a row of docs/corpus.md.
type knownDifference struct {
	what []string // result of compareRow
	why  string   // reason for the difference
}

// knownDifferences holds all known differences. The keys are paths in the manifest. TestCorpusTable
// compares the map with docs/corpus.md.
var knownDifferences = map[string]knownDifference{
	// The loader reads these files, but the program that wrote the manifest could not.
	"3MFConsortium+3mf-samples/examples/material/multiprop-translucent.3mf": {
		[]string{"read"}, "an undeclared prefix on a display property: noted, the mesh is sound"},
	"mikedh+trimesh/models/whitespace.off": {
		[]string{"read"}, "keyword and first count run together as OFF8; the counts fit the file"},
	"KhronosGroup+glTF-Validator/test/ext/KHR_materials_clearcoat/data/material/valid_with_tangent.gltf": {
		[]string{"collapsed_on_weld 1 0"}, "a document without nodes: each mesh is read once"},
	"CesiumGS+gltf-pipeline/specs/data/2.0/extensions/EXT_meshopt_compression/meshopt-no-fallback/meshopt-no-fallback.gltf": {
		[]string{"read"}, "the compressed views are decompressed"},
	"donmccurdy+glTF-Transform/packages/extensions/test/in/BoxMeshopt.gltf": {
		[]string{"read"}, "the compressed views are decompressed"},

	// The loader refuses these files because a face or a number is invalid.
	"SeequentEvo+evo-data-converters/packages/obj/tests/data/simple_shapes/simple_shapes_corrupt_2.obj": {
		[]string{"refused"}, "a coordinate is the letter a"},
	"assimp+assimp/test/models/OBJ/number_formats.obj": {
		[]string{"refused"}, "3.1+e2 is no number"},
	"assimp+assimp/test/models/glTF2/IncorrectVertexArrays/Cube.gltf": {
		[]string{"refused"}, "35 corners are no whole number of triangles"},
	"assimp+assimp/test/models/invalid/malformed2.obj": {
		[]string{"refused"}, "a face without corners"},
	"mikedh+trimesh/models/notenoughindices.obj": {
		[]string{"refused"}, "a face with two corners"},
	"npm+stl-models-0.12.0/broken/fourVertices.ascii.stl": {
		[]string{"refused"}, "a loop with four corners"},
	"npm+stl-models-0.12.0/broken/incorrectFaceCounter.bin.stl": {
		[]string{"refused"}, "66 triangles promised, room for 4"},
	"npm+stl-models-0.12.0/broken/quad.ascii.stl": {
		[]string{"refused"}, "a loop with four corners"},
	"npm+stl-models-0.12.0/broken/twoVertices.ascii.stl": {
		[]string{"refused"}, "a loop with two corners"},
	"npm+stl-models-0.12.0/misc/multiWordName.bin.stl": {
		[]string{"refused"}, "bytes above 127 were replaced by a conversion to UTF-8"},
	"tinyobjloader+tinyobjloader/models/issue-140-zero-face-idx.obj": {
		[]string{"refused"}, "vertex 0, but OBJ counts from 1"},

	// These files have concave polygons. The program that wrote the manifest triangulates every
	// polygon as a fan.
	"assimp+assimp/test/models/OBJ/concave_polygon.obj": {
		[]string{"boundary_edges 64 63", "nonmanifold_edges 0 2", "duplicate_faces 0 1", "consistent_orientation true no"},
		"one planar polygon of 66 corners: 29 of 64 triangles of a fan lie outside it"},
	"fogleman+pt/examples/suzanne.obj": {
		[]string{"volume 2.2249 2.22488"}, concave},
	"mikedh+trimesh/models/polygonfaces.obj": {
		[]string{"volume 1e+08 -6.66667e+07"}, "one open pentagon far from planar: its volume is what the cut makes it"},
	"mikedh+trimesh/models/suzanne.ply": {
		[]string{"volume 2.2249 2.22488"}, concave},
	"odedstein+meshes/objects/fish/fish_control_mesh.obj": {
		[]string{"volume 1.34041 1.33907"}, concave},
	"odedstein+meshes/objects/spot/spot_control_mesh.obj": {
		[]string{"volume 0.842831 0.844791"}, concave},
	"pmp-library+pmp-library/data/obj/suzanne.obj": {
		[]string{"volume 2.2249 2.22488"}, concave},

	// In these files, a diagonal that divides a polygon coincides with edges of other faces.
	"assimp+assimp/test/models/OBJ/box_longline.obj": {
		[]string{"nonmanifold_edges 4 5"}, diagonal},
	"assimp+assimp/test/models/OBJ/regr_3429812.obj": {
		[]string{"nonmanifold_edges 0 1"}, diagonal},
	"fogleman+pt/examples/CornellBox-Original.obj": {
		[]string{"nonmanifold_edges 6 8"}, diagonal},
	"madmann91+bvh/test/scenes/cornell_box.obj": {
		[]string{"nonmanifold_edges 6 8"}, diagonal},
}

const diagonal = "a diagonal of a polygon is no edge of the file"

const concave = "polygons with a reflex corner: a fan folds back over itself"
