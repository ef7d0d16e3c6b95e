package bvh

// splitFew is splitByArea for at most few records: it sorts them along the axis
// on which their middles spread most, and tries every place.
func splitFew(part []record, middles *extent) int32 {
	var storage [few]int32
	keys := storage[:len(part)]
	for i, axis := 0, middles.widestAxis(); i < len(keys); i++ {
		keys[i] = part[i].middle(axis)
	}
	for i := 1; i < len(keys); i++ {
		k, r, j := keys[i], part[i], i
		for ; j > 0 && keys[j-1] > k; j-- {
			keys[j], part[j] = keys[j-1], part[j-1]
		}
		keys[j], part[j] = k, r
	}
	var right [few]float64
	e := emptyExtent()
	for i := len(part) - 1; i > 0; i-- {
		e.grow(&part[i].extent)
		right[i] = e.area() * float64(len(part)-i)
	}
	e = part[0].extent
	best, place := e.area()+right[1], 1
	for i := 2; i < len(part); i++ {
		e.grow(&part[i-1].extent)
		if cost := e.area()*float64(i) + right[i]; cost < best {
			best, place = cost, i
		}
	}
	return int32(place)
}

// splitCoarse is splitByArea for at most coarse records: it looks for the place on
// the axis on which their middles spread most.
func splitCoarse(part []record, middles *extent) int32 {
	var row [bins / 2]bin
	for k := range row {
		row[k] = bin{extent: emptyExtent()}
	}
	f := newBinning(middles, bins/2)
	axis := middles.widestAxis()
	low, factor := f.low[axis], f.factor[axis]
	for i := range part {
		r := &part[i]
		b := &row[uint64(r.middle(axis)-low)*factor>>32&(bins/2-1)]
		b.grow(&r.extent)
		b.count++
	}
	_, place := cheapestPlace(row[:])
	return divideRecords(part, axis, low, factor, uint64(place))
}
