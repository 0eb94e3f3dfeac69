/** The settings of a deployment, read as `cdk deploy` with the same `-c` options reads them. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { AdminError, usageError } from '#cli/errors.ts';
import { resolvePath, type Terminal } from '#cli/terminal.ts';
import { loadSettings } from '#lib/settings/config-file.ts';
import { type ContextOptions, readContext } from '#lib/settings/context-options.ts';
import type { Settings } from '#lib/settings/settings.ts';
import { SettingsError } from '#lib/settings/validation.ts';

export interface DeploymentSettings {
  settings: Settings;
  /** Part of the names of the CDK's bootstrap resources. */
  bootstrapQualifier: string;
}

const projectDirectory = join(import.meta.dirname, '../../..');
const cdkConfiguration = z.object({ context: z.record(z.string(), z.unknown()) });
export const defaultQualifier = 'hnb659fds';

/** Throws an `AdminError` for settings that are missing or invalid. */
export async function readDeploymentSettings(
  options: ContextOptions,
  { environment }: Pick<Terminal, 'environment'>,
): Promise<DeploymentSettings> {
  const { context: configured } = cdkConfiguration.parse(
    JSON.parse(readFileSync(join(projectDirectory, 'cdk.json'), 'utf8')),
  );
  const given = readContext(options);
  if (given === null) throw usageError('-c must be NAME=VALUE, such as config=staging.config.ts');
  const context = { ...configured, ...given };
  const qualifier = context['@aws-cdk/core:bootstrapQualifier'];
  try {
    const workingDirectory = resolvePath('.', environment);
    const settings = await loadSettings({ context, projectDirectory, workingDirectory });
    return { settings, bootstrapQualifier: typeof qualifier === 'string' ? qualifier : defaultQualifier };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new AdminError(error.message.replaceAll('\n', '; '));
  }
}
