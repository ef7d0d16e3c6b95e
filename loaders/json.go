package loaders

import (
	"slices"

	"github.com/inpoly/inpoly/internal/jsontext"
	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// jsonHead is the number of bytes in which the members of a JSON text must begin for a signature
// (tuning).
const jsonHead = 1 << 20

// asCityJSON sets the functions that recognize CityJSON by its content. Signature searches only the
// beginning. Guess searches the whole content, because the type can come after the city objects.
func asCityJSON(f soup.Format) soup.Format {
	f.Signature = func(data []byte) bool { return isCityJSON(data[:min(len(data), jsonHead)]) }
	f.Guess = isCityJSON
	return f
}

func isCityJSON(data []byte) (found bool) {
	scan.JSONMembers(data, func(key, value []byte) bool {
		found = string(key) == "CityObjects" || string(key) == "type" && slices.Contains([]string{"CityJSON", "CityJSONFeature"}, jsonString(value))
		return !found
	})
	return found
}

// isGeoJSON reports whether data is a GeoJSON object (RFC 7946, section 1.4).
func isGeoJSON(data []byte) (found bool) {
	types := []string{"FeatureCollection", "Feature", "Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon", "GeometryCollection"}
	scan.JSONMembers(data[:min(len(data), jsonHead)], func(key, value []byte) bool {
		found = string(key) == "type" && slices.Contains(types, jsonString(value))
		return !found
	})
	return found
}

// jsonString returns the string with which a JSON text begins, or "".
func jsonString(text []byte) string {
	c := jsontext.Cursor{Text: text}
	if b, err := c.Peek(); err != nil || b != '"' {
		return ""
	}
	q, err := c.Quoted()
	if err != nil {
		return ""
	}
	return string(q.Text())
}
