/** Vitest orders files by how long they took before, but in a fresh clone by their size: here what waits longest is first. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const longestFirst = [/\/faults\.test\.ts$/, /\/test\/(integration|local)\//, /-exactness|exactly-once/];

export class SlowestFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = longestFirst.findIndex((pattern) => pattern.test(moduleId));
      return index === -1 ? longestFirst.length : index;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
