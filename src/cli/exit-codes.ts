/** Something was found: missed deliveries, open breaks, checks that failed. */
export const EXIT_FINDINGS = 3;
