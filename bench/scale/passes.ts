/** All steps of a series again and again, so that a slow moment of the machine meets no step alone. */
import type { LoadFigures } from './load.ts';

export interface Pass {
  figures: LoadFigures;
  directMs: number[];
}

const passes = 3;

/** In the order of the steps. */
export async function inPasses<Step>(
  steps: readonly Step[],
  measure: (step: Step) => Promise<Pass>,
): Promise<Pass[]> {
  const measured = steps.map((): Pass[] => []);
  for (let pass = 0; pass < passes; pass += 1) {
    for (const [place, step] of steps.entries()) measured[place]?.push(await measure(step));
  }
  return measured.map(combine);
}

/** Of the processor's time the least, since whatever else runs only adds; all the waiting; the memory of the end. */
export function combine(measured: readonly Pass[]): Pass {
  const figures = measured.map((pass) => pass.figures);
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
  return {
    directMs: measured.flatMap(({ directMs }) => directMs),
    figures: {
      totalMs: figures.flatMap(({ totalMs }) => totalMs),
      cpuMicrosEach: Math.min(...figures.map(({ cpuMicrosEach }) => cpuMicrosEach)),
      rssMb: figures.at(-1)?.rssMb ?? 0,
      wrongAnswers: sum(figures.map(({ wrongAnswers }) => wrongAnswers)),
      wrongEntries: sum(figures.map(({ wrongEntries }) => wrongEntries)),
    },
  };
}
