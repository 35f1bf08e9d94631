/** In a narrower window the code takes the inspector's place. */
export const leastBeside = 1360;
