package runner

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"testing"
)

// TestWithoutText takes a chunk of text out of a PNG image, whose pixels and other chunks stay.
func TestWithoutText(t *testing.T) {
	var plain bytes.Buffer
	if err := png.Encode(&plain, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	text := append([]byte("iTXt"), "SVG\x00 a figure"...)
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(text)-4))
	chunk = binary.BigEndian.AppendUint32(append(chunk, text...), crc32.ChecksumIEEE(text))
	for name, at := range map[string]int{"after the header": 33, "before the end": plain.Len() - 12} {
		carrying := bytes.Join([][]byte{plain.Bytes()[:at], chunk, plain.Bytes()[at:]}, nil)
		if got := withoutText(carrying); !bytes.Equal(got, plain.Bytes()) {
			t.Errorf("%s: %d bytes of %d are left, want %d", name, len(got), len(carrying), plain.Len())
		}
	}
	for _, other := range [][]byte{plain.Bytes(), plain.Bytes()[:plain.Len()-1], []byte("no image"), nil} {
		if got := withoutText(other); !bytes.Equal(got, other) {
			t.Errorf("an image without text has changed: %q", base64.StdEncoding.EncodeToString(got))
		}
	}
}
