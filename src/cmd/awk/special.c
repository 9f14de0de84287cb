/* special.c - the variables the interpreter itself looks at: what happens when they are set. */
#include "awk.h"

/* NR and FNR are counts: what a program sets them to is cut to a whole number, as gawk does. */
static int64_t count_of(struct awk *a, struct cell *c)
{
	double v = cell_num(a, c);
	int64_t n = v >= -0x1p63 && v < 0x1p63 ? (int64_t)v : INT64_MIN;

	if (v != (double)n)
		cell_set_num(a, c, (double)n);
	return n;
}

void special_changed(struct awk *a, uint32_t slot)
{
	struct cell *c = &a->global[slot].cell;

	switch (slot) {
	case V_NF: record_set_nf(a, cell_num(a, c)); break;
	case V_NR: a->nr = count_of(a, c); break;
	case V_FNR: a->fnr = count_of(a, c); break;
	case V_FS:
	case V_FPAT:
	case V_FIELDWIDTHS:
		/* The last one set decides how. */
		if (slot != V_FPAT)
			cell_set_str(a, special_cell(a, V_FPAT), astr_new(a, "", 0), CELL_STR);
		if (slot != V_FIELDWIDTHS)
			cell_set_str(a, special_cell(a, V_FIELDWIDTHS), astr_new(a, "", 0), CELL_STR);
		break;
	default: break;
	}
}

void special_changes(struct awk *a, uint32_t slot)
{
	switch (slot) {
	case V_FS:
	case V_FPAT:
	case V_FIELDWIDTHS:
	case V_RS:
		if (a->rec_ptr)
			record_split(a);
		break;
	case V_OFS:
		if (a->rec_ptr)
			(void)record_text(a);
		break;
	default: break;
	}
}
