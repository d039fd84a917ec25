package qmdp

// Values is the policy of a POMDP, whose tables tests compare.
type Values = values
