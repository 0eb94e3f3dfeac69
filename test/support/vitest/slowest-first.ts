/** Orders slow test files first. Vitest orders by the previous durations, but in a fresh clone only by file size. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const slowestPatterns = [
  /\/test\/browser\//,
  /\/faults\.test\.ts$/,
  /\/test\/(integration|local)\//,
  /-exactness|exactly-once/,
];

export class SlowestFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) => {
      // First: Vitest ends a shared process when an isolated file is next in the queue.
      if (project.config.isolate) return -1;
      const index = slowestPatterns.findIndex((pattern) => pattern.test(moduleId));
      return index === -1 ? slowestPatterns.length : index;
    };
    return (await super.sort(files)).sort((left, right) => rank(left) - rank(right));
  }
}
