/** Ends a run of all tests with the files that took longest, which are what to look at when the budget is exceeded. */
import type { Reporter, TestModule } from 'vitest/node';

const shownFiles = 10;

/** Setting up a test environment and importing modules count too. */
function secondsOf(file: TestModule): number {
  const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } =
    file.diagnostic();
  return (environmentSetupDuration + prepareDuration + collectDuration + setupDuration + duration) / 1000;
}

export const slowestFiles: Reporter = {
  onTestRunEnd(files) {
    if (files.length <= shownFiles) return;
    const slowest = files
      .map((file) => ({ name: file.relativeModuleId, seconds: secondsOf(file) }))
      .sort((one, other) => other.seconds - one.seconds)
      .slice(0, shownFiles);
    const lines = slowest.map(({ name, seconds }) => `${seconds.toFixed(1).padStart(9)} s  ${name}`);
    console.log(`\n   Slowest files:\n${lines.join('\n')}\n`);
  },
};
