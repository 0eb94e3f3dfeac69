/** The settings of a deployment, read as `cdk deploy` with the same `-c` options reads them. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { AdminError, usageError } from '#cli/errors.ts';
import { resolvePath, type Terminal } from '#cli/terminal.ts';
import { loadSettings } from '#lib/settings/config-file.ts';
import { SettingsError } from '#lib/settings/validation.ts';
import type { Settings } from '#lib/settings.ts';

export interface DeploymentSettings {
  settings: Settings;
  /** Part of the names of the CDK's bootstrap resources. */
  bootstrapQualifier: string;
}

const projectDirectory = join(import.meta.dirname, '../../..');
const cdkConfiguration = z.object({ context: z.record(z.string(), z.unknown()) });
export const defaultQualifier = 'hnb659fds';

/** `assignments` are the values of `-c`. Throws an `AdminError` for settings that are missing or invalid. */
export async function readDeploymentSettings(
  assignments: readonly string[],
  { environment }: Pick<Terminal, 'environment'>,
): Promise<DeploymentSettings> {
  const { context: configured } = cdkConfiguration.parse(
    JSON.parse(readFileSync(join(projectDirectory, 'cdk.json'), 'utf8')),
  );
  const context = { ...configured, ...Object.fromEntries(assignments.map(parseAssignment)) };
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

function parseAssignment(text: string): [name: string, value: string] {
  const position = text.indexOf('=');
  if (position > 0) return [text.slice(0, position), text.slice(position + 1)];
  throw usageError('-c must be NAME=VALUE, such as config=staging.config.ts');
}
