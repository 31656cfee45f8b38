/** What a program for tables takes a text for a formula by: all that becomes one of the four in compatibility form, as some read it … */
export const FORMULA_SIGNS = '=+@＝＋－＠﹦﹢﹣﹫⁼⁺₌₊⩵⩶﬩-';

/** … behind whatever is not seen. */
export const UNSEEN = /[\s\p{C}\p{Z}]/u;
