package runner

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"testing"
)

// TestSmallest makes images smaller, those with a chunk of text too, and leaves their pixels.
func TestSmallest(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 40, 30))
	for i := range img.Pix {
		img.Pix[i] = uint8(i / 7)
	}
	var plain bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(&plain, img); err != nil {
		t.Fatal(err)
	}
	text := append([]byte("iTXt"), "SVG\x00 a figure"...)
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(text)-4))
	chunk = binary.BigEndian.AppendUint32(append(chunk, text...), crc32.ChecksumIEEE(text))
	carrying := bytes.Join([][]byte{plain.Bytes()[:33], chunk, plain.Bytes()[33:]}, nil) // behind the header
	small := smallest(carrying)
	shown, err := png.Decode(bytes.NewReader(small))
	if err != nil {
		t.Fatal(err)
	}
	same := shown.Bounds() == img.Bounds()
	for x := range 40 {
		for y := range 30 {
			same = same && color.GrayModel.Convert(shown.At(x, y)) == img.At(x, y)
		}
	}
	if len(small) >= plain.Len()/2 || bytes.Contains(small, []byte("iTXt")) || !same {
		t.Errorf("%d bytes have become %d, with the same pixels: %v", len(carrying), len(small), same)
	}
	for _, same := range [][]byte{small, small[:len(small)-1], []byte("no image"), nil} {
		if got := smallest(same); !bytes.Equal(got, same) {
			t.Errorf("%d bytes that cannot be fewer have become %d", len(same), len(got))
		}
	}
}
