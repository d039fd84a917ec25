package bcpace_test

import (
	"fmt"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/metric"
	"bayescpace/envs"
)

func ExampleSpec() {
	spec := bcpace.Spec{
		Name:    "lamp",
		Axes:    []bcpace.Axis{{Name: "light", Max: 1, Labels: []string{"off", "on"}}},
		Actions: bcpace.Actions("wait", "press"), Latents: []string{"sound", "broken"},
		Discount: 0.9, RewardMin: -1, RewardMax: 2,
	}
	fmt.Println(spec.Validate())
	fmt.Printf("values from %.0f to %.0f\n", spec.VMin(), spec.VMax())
	fmt.Println("press is action", spec.ActionIndex("press"))
	spec.Discount = 1
	fmt.Println(spec.Validate())
	// Output:
	// <nil>
	// values from -10 to 20
	// press is action 1
	// model "lamp": Spec.Discount is 1, want a value in (0, 1), or a Horizon beside it: without either, values are infinite, unless episodes end by themselves (Goal)
}

// With a Scale of 2, two metres count as one unit of distance.
func ExampleAxis() {
	spec := bcpace.Spec{Axes: []bcpace.Axis{{Name: "x", Unit: "m", Max: 10, Scale: 2}}, Latents: []string{"only one"}}
	b := bcpace.Belief{1}
	fmt.Println(metric.New(spec, 1).Distance([]float64{3}, b, []float64{7}, b))
	// Output: 2
}

// The hours 23 and 1 are two apart.
func ExampleAxis_Wrap() {
	hour := bcpace.Axis{Name: "time", Unit: "h", Max: 24, Period: 24}
	fmt.Println(hour.Wrap(25), hour.Wrap(-1))
	spec := bcpace.Spec{Axes: []bcpace.Axis{hour}, Latents: []string{"only one"}}
	b := bcpace.Belief{1}
	fmt.Println(metric.New(spec, 1).Distance([]float64{23}, b, []float64{1}, b))
	// Output:
	// 1 23
	// 2
}

func ExampleAction() {
	for id, a := range bcpace.Actions("left", "right") {
		fmt.Println(id, a.Name)
	}
	// Output:
	// 0 left
	// 1 right
}

func ExampleParam() {
	m, err := envs.New("tiger", []bcpace.Param{{Key: "accuracy", Value: "0.7"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Spec().Params)
	// Output: [{accuracy 0.7} {discount 0.95} {reset true}]
}

// The tiger is behind the left door, which is opened.
func ExampleOutcome() {
	tiger := envs.Tiger{}
	next := make([]float64, 1)
	out := tiger.Step(next, []float64{0}, 0, tiger.Spec().ActionIndex("open left"), rand.New(rand.NewPCG(1, 1)))
	fmt.Printf("%+v\n", out)
	// Output: {Reward:-100 Done:false}
}
