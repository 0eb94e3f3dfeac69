/** Units of time. A day has 24 hours, as in UTC. */

export const secondMs = 1000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

export const hourSeconds = hourMs / secondMs;
export const daySeconds = dayMs / secondMs;
