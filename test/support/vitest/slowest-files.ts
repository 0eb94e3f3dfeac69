import type { Reporter, TestModule } from 'vitest/node';

const maxShownFiles = 10;

/** Includes the setup of the test environment and the import of modules. */
function totalSeconds(file: TestModule): number {
  const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } =
    file.diagnostic();
  return (environmentSetupDuration + prepareDuration + collectDuration + setupDuration + duration) / 1000;
}

export const slowestFiles: Reporter = {
  onTestRunEnd(files) {
    if (files.length <= maxShownFiles) return;
    const slowest = files
      .map((file) => ({ name: file.relativeModuleId, seconds: totalSeconds(file) }))
      .sort((left, right) => right.seconds - left.seconds)
      .slice(0, maxShownFiles);
    const lines = slowest.map(({ name, seconds }) => `${seconds.toFixed(1).padStart(9)} s  ${name}`);
    console.log(`\n   Slowest files:\n${lines.join('\n')}\n`);
  },
};
