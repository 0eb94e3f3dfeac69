/** The limits under which the suite runs: so short that what stalls is given up within seconds. */
export const impatience = { firstByteSeconds: 2, idleSeconds: 2, totalSeconds: 60, drainSeconds: 5 };
