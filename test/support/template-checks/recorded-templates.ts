/** Collects the templates that tests synthesize. Each is checked once in a run, after the test file that synthesizes it first. */
import { createHash } from 'node:crypto';
import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import type { GatewayConfig } from '#lib/settings/settings.ts';
import type { Finding, Template } from './template.ts';

interface RecordedTemplate {
  settings: GatewayConfig;
  template: Template;
}

const recorded: RecordedTemplate[] = [];

export function recordTemplate(synthesized: RecordedTemplate): void {
  recorded.push(synthesized);
}

/** Checks the templates recorded since the last call, except for those that a process with the same directory has checked. */
export async function checkRecordedTemplates(directory: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { settings, template } of recorded.splice(0)) {
    const hash = createHash('sha256').update(JSON.stringify(template)).digest('hex');
    const claim = join(directory, `checked-template-${hash.slice(0, 16)}`);
    if (!createDirectory(claim)) continue;
    // Loaded here, because most test files synthesize nothing.
    const { checkTemplate } = await import('./check-template.ts');
    const found = await checkTemplate(template);
    // In watch mode, the next run checks it again.
    if (found.length > 0) rmdirSync(claim);
    findings.push(...found.map((finding) => `With the settings ${JSON.stringify(settings)}, ${finding}`));
  }
  return findings;
}

/** Returns false when the directory exists. */
function createDirectory(directory: string): boolean {
  return mkdirSync(directory, { recursive: true }) !== undefined;
}
