/**
 * Sends the settings of the project in the working directory to the parent process. Run in a process of its own, since Node
 * loads a module once, even if its file changes.
 */
import { loadConfig } from './config-file.ts';
import { SettingsError } from './validation.ts';

const directory = process.cwd();
try {
  process.send?.(await loadConfig({ context: {}, projectDirectory: directory, workingDirectory: directory }));
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
