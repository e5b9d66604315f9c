package main

import "testing"

func TestChoose(t *testing.T) {
	all, err := choose("")
	if err != nil || len(all) == 0 {
		t.Fatalf("%d cases, error %v", len(all), err)
	}
	if one, err := choose("^" + all[0].Name + "$"); err != nil || len(one) != 1 {
		t.Errorf("%d cases called %s, error %v", len(one), all[0].Name, err)
	}
	if _, err := choose("no such case"); err == nil {
		t.Error("an expression without a match gave no error")
	}
	if _, err := choose("("); err == nil {
		t.Error("a broken expression gave no error")
	}
}
