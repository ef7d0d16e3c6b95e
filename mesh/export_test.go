package mesh

// March is march, for tests.
var March = march
