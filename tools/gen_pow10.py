#!/usr/bin/env python3
"""Prints the table of src/base/num_float.c: 10^(2^i) and 10^-(2^i) as 128-bit mantissas.

Each entry is (high, low, exponent): 10^n = (high * 2^64 + low) * 2^exponent, rounded to
nearest, with the mantissa's top bit set.
"""
from fractions import Fraction


def entry(n):
    value = Fraction(10) ** n
    exponent = value.numerator.bit_length() - value.denominator.bit_length() - 128
    while value / Fraction(2) ** exponent >= 2**128:
        exponent += 1
    while value / Fraction(2) ** exponent < 2**127:
        exponent -= 1
    mantissa = round(value / Fraction(2) ** exponent)
    assert 2**127 <= mantissa < 2**128
    return mantissa >> 64, mantissa & (2**64 - 1), exponent


def main():
    for sign in (1, -1):
        for i in range(13):
            high, low, exponent = entry(sign * 2**i)
            print(f"\t{{0x{high:016x}, 0x{low:016x}, {exponent}}},\t/* 1e{sign * 2**i} */")


if __name__ == "__main__":
    main()
