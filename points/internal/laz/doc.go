// Package laz compresses and decompresses the point records of LAZ files. It is a codec for the
// compressors 1 to 3 of LASzip with all items of the point formats 0 to 10: versions 1 and 2 of
// POINT10, GPSTIME11, RGB12 and BYTE, version 1 of WAVEPACKET13, and versions 3 and 4 of POINT14,
// RGB14, RGBNIR14, WAVEPACKET14 and BYTE14. COPC files are LAZ files with layered chunks of variable
// sizes.
//
// A LAZ file is a LAS file with a LASzip VLR (see VLR). Its points are compressed in chunks. The
// chunk table (see ReadChunks) has the place and the number of points of each chunk. A Decoder
// restores the records of a chunk, bit by bit. Chunks are independent, so each goroutine can decode
// chunks with its own Decoder. Compressor 1 has no chunks and is decoded in sequence (see Stream).
//
//	v, err := laz.ParseVLR(payload)                             // of the VLR 22204 of "laszip encoded"
//	err = v.Check(pointFormat, recordLength)
//	chunks, err := laz.ReadChunks(file, v, pointsAt, count, size)
//	d, err := laz.NewDecoder(v)
//	for _, c := range chunks {
//		src := … // c.Bytes bytes of the file from c.Offset
//		err = d.Decode(dst[:c.Points*recordLength], src, int(c.Points))
//	}
//
// To write a file, create a VLR with NewVLR, write 8 bytes in place of the offset of the chunk table,
// append chunks with an Encoder, and then append the table with AppendTable.
//
// Source: M. Isenburg, "LASzip: lossless compression of LiDAR data", Photogrammetric Engineering and
// Remote Sensing 79(2), 2013; the LASzip specification and the definitions of its items (LASzip 3.5);
// A. Said, "Introduction to Arithmetic Coding – Theory and Practice", HPL-2004-76, 2004.
package laz
