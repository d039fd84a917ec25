package kept

import (
	"bytes"
	"encoding/gob"
	"errors"
)

// RegisterRecord has the Record of a solution be kept, of the type of x, a pointer to plain data. The package of the solver calls it once, from an
// init function.
func RegisterRecord(x any) { gob.Register(x) }

// errRecord says that a Record cannot be kept.
var errRecord = errors.New("what a solver has found beside its policy is no plain data that it has registered")

// Record returns the Record of a solution as bytes, nil for none.
func Record(x any) ([]byte, error) {
	if x == nil {
		return nil, nil
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(&x); err != nil {
		return nil, errors.Join(errRecord, err)
	}
	return b.Bytes(), nil
}

// ReadRecord returns the Record that Record has made bytes of.
func ReadRecord(data []byte) (x any, err error) {
	if len(data) == 0 {
		return nil, nil
	}
	err = gob.NewDecoder(bytes.NewReader(data)).Decode(&x)
	return x, err
}
