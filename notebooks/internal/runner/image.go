package runner

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	_ "image/jpeg" // figures come as either
	"image/png"
	"maps"
	"slices"
	"strings"
)

// Two pictures of one figure may differ where rounding moved an edge by a
// hair: by a shade that no reader sees, or in a few pixels.
const (
	shade  = 8 << 8 // of a channel's 16 bits: 8 of 255
	pixels = 1e-3   // the share of pixels that may differ by more than a shade
)

// compareImages returns "" for pictures that show the same, and otherwise how
// they differ.
func compareImages(want, got []byte) string {
	if bytes.Equal(want, got) {
		return ""
	}
	w, _, err := image.Decode(bytes.NewReader(want))
	if err != nil {
		return fmt.Sprintf("the committed picture cannot be read: %v", err)
	}
	g, _, err := image.Decode(bytes.NewReader(got))
	if err != nil {
		return fmt.Sprintf("the new picture cannot be read: %v", err)
	}
	if w.Bounds() != g.Bounds() {
		return fmt.Sprintf("the committed picture is %v, the new one %v pixels", w.Bounds().Size(), g.Bounds().Size())
	}
	differ := 0
	r := w.Bounds()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			r1, g1, b1, a1 := w.At(x, y).RGBA()
			r2, g2, b2, a2 := g.At(x, y).RGBA()
			if max(apart(r1, r2), apart(g1, g2), apart(b1, b2), apart(a1, a2)) > shade {
				differ++
			}
		}
	}
	if share := float64(differ) / float64(r.Dx()*r.Dy()); share > pixels {
		return fmt.Sprintf("%.2f %% of the pixels differ (up to %.2f %% may)", 100*share, 100*pixels)
	}
	return ""
}

func apart(a, b uint32) uint32 { return max(a, b) - min(a, b) }

// pictures returns what each picture in the outputs of a cell shows, in their order.
func pictures(c Cell) (all []string) {
	for _, o := range c.Displays() {
		for _, mime := range slices.Sorted(maps.Keys(o.data())) {
			content := Text(o.data()[mime])
			if strings.HasPrefix(mime, "image/") {
				all = append(all, colours(content))
				continue
			}
			for _, url := range embedded.FindAllString(content, -1) {
				all = append(all, colours(url[strings.Index(url, ",")+1:]))
			}
		}
	}
	return all
}

// colours are the size of a picture and the colours of its pixels. A picture that cannot be read,
// or that is written as text (SVG), shows its data.
func colours(content string) string {
	data, err := decodeBase64(content)
	if err != nil {
		return content
	}
	m, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return content
	}
	all := image.NewNRGBA64(m.Bounds())
	draw.Draw(all, all.Rect, m, all.Rect.Min, draw.Src)
	return all.Rect.String() + string(all.Pix)
}

// smallest returns a PNG image with the same pixels in fewer bytes, if there is one: with the
// best compression, and without the SVG that a figure carries for a button.
func smallest(data []byte) []byte {
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return data
	}
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestCompression}
	if err := e.Encode(&b, img); err != nil || b.Len() >= len(data) {
		return data
	}
	return b.Bytes()
}
