/** Compares the runbook with the alarms and saved queries of the template, the admin commands and the npm scripts. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { GatewayConfig } from '#lib/settings/settings.ts';
import { synthesizeGateway } from '#test/lib/synthesized-gateway.ts';
import { runAdminCommand } from '#test/support/admin-command.ts';
import packageJson from '../../package.json' with { type: 'json' };

const runbook = readFileSync(resolve(import.meta.dirname, '../../docs/runbook.md'), 'utf8');

interface Section {
  heading: string;
  /** The last heading of the second level. */
  chapter: string;
  text: string;
}

const sections = sectionsOf(runbook);
const alarmSections = sections.filter(({ chapter, heading }) => chapter === 'Alarms' && heading !== chapter);
const parts = ['Meaning', 'Investigate', 'Resolve', 'Confirm'];

function sectionsOf(markdown: string): Section[] {
  let chapter = '';
  return markdown
    .split(/^(?=##+ )/m)
    .slice(1)
    .map((text) => {
      const [, level = '', heading = ''] = /^(##+) (.*)$/m.exec(text) ?? [];
      if (level === '##') chapter = heading;
      return { heading, chapter, text };
    });
}

interface AlarmProperties {
  AlarmName: string;
  AlarmDescription: string;
}

function monitoringOf(config: GatewayConfig) {
  const gateway = synthesizeGateway(config);
  const propertiesOf = (type: string) => gateway.ofType(type).map(({ resource }) => resource.Properties);
  const alarms = (propertiesOf('AWS::CloudWatch::Alarm') as unknown as AlarmProperties[]).map((alarm) => {
    const [, severity = '', id = ''] = /^AiGateway-(page|ticket)-(.*)$/.exec(alarm.AlarmName) ?? [];
    return { severity, id, description: alarm.AlarmDescription };
  });
  const queries = propertiesOf('AWS::Logs::QueryDefinition').map(({ Name }) =>
    String(Name).replace(/^AiGateway\//, ''),
  );
  return { alarms, queries };
}

const canary = { everyMinutes: 15 };
const complete = monitoringOf({ monitoring: 'all', canary });
const byDefault = monitoringOf({});

/** The names after the word "query" or "queries". */
function queriesIn(text: string): string[] {
  const lists = text.matchAll(/(?:query|queries)((?:(?:,| and)?\s+`[a-z-]+`)+)/g);
  return [...lists].flatMap(([, list = '']) =>
    [...list.matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => name),
  );
}

/** The arguments of each command that begins with `prefix`, in code spans and blocks. */
function commandsIn(text: string, prefix: string): string[][] {
  const pattern = new RegExp(`${prefix} ([^\`|]+)`, 'g');
  return [...text.replaceAll(/\s+/g, ' ').matchAll(pattern)].map(([, rest = '']) => rest.trim().split(/\s+/));
}

describe('Runbook', () => {
  it('has a section for each alarm, and no others', () => {
    const ids = complete.alarms.map(({ id }) => id);

    expect(ids.length).toBeGreaterThan(20);
    expect(alarmSections.map(({ heading }) => heading).sort()).toEqual(ids.sort());
  });

  it('gives each alarm its meaning, how to investigate and resolve it, and how to confirm that', () => {
    for (const { heading, text } of alarmSections) {
      const names = [...text.matchAll(/^- \*\*(\w+):\*\* \S/gm)].map(([, name]) => name);
      expect(names, heading).toEqual(parts);
    }
  });

  it('lists each alarm with its severity and the level that deploys it', () => {
    const rows = [
      ...runbook.matchAll(/^\| \[`([a-z-]+)`\]\(#\1\) \| (\w+) \| `(\w+)`(, with `canary`)? \|/gm),
    ].map(([, id, severity, level, withCanary]) => ({
      id,
      severity,
      level,
      needsCanary: withCanary !== undefined,
    }));
    const defaultIds = new Set(byDefault.alarms.map(({ id }) => id));
    const expected = complete.alarms.map(({ id, severity }) => {
      const needsCanary = id.startsWith('canary-');
      return { id, severity, level: defaultIds.has(id) || needsCanary ? 'alarms' : 'all', needsCanary };
    });

    const byId = (left: { id?: string }, right: { id?: string }) =>
      (left.id ?? '') < (right.id ?? '') ? -1 : 1;
    expect(rows.toSorted(byId)).toEqual(expected.toSorted(byId));
  });

  it('is where the description of each alarm leads', () => {
    for (const { id, description } of complete.alarms)
      expect(description, id).toMatch(new RegExp(`\\. Runbook: docs/runbook\\.md#${id}$`));
  });

  it('names every saved query, no other, and one to investigate each alarm', () => {
    expect([...new Set(queriesIn(runbook))].sort()).toEqual(complete.queries.toSorted());
    for (const { heading, text } of alarmSections) {
      const investigate = /\*\*Investigate:\*\*([\s\S]*?)\n- \*\*/.exec(text)?.[1] ?? '';
      expect(queriesIn(investigate), heading).not.toEqual([]);
    }
  });

  it('has the procedures of an operator', () => {
    const chapters = sections.filter(({ chapter, heading }) => heading === chapter);
    const procedures = sections.filter(
      ({ chapter, heading }) => chapter === 'Procedures' && heading !== chapter,
    );

    expect(procedures.map(({ heading }) => heading)).toEqual([
      'Rotate a credential',
      'Leaked key',
      'Provider outage',
      'Add a provider',
      'New model without a price',
      'Add log shards',
      'Rebuild rollups',
      'Reprice',
      'Restore a table',
      'Redrive a dead-letter queue',
      'A scheduled function does not run',
      'A recovery that does not come to an end',
      'Deploy and roll back',
      'Uninstall',
    ]);
    expect(chapters.map(({ heading }) => heading)).toEqual([
      'Where things are',
      'First steps',
      'Alarms',
      'Procedures',
    ]);
  });

  it('mentions only admin commands and options that exist', async () => {
    const commands = commandsIn(runbook, 'npm run admin --');
    const helpOf = new Map<string, string>();
    for (const [group = '', name = ''] of commands) {
      const { stdout } = await runAdminCommand([group, name, '--help']);
      helpOf.set(`${group} ${name}`, stdout);
    }

    expect(commands.length).toBeGreaterThan(20);
    for (const [group, name, ...options] of commands) {
      const command = `${group} ${name}`;
      expect(helpOf.get(command), command).toContain(`Usage: npm run admin -- ${command} `);
      for (const option of options.filter((argument) => argument.startsWith('--')))
        expect(helpOf.get(command), command).toMatch(new RegExp(`${option}\\b`));
    }
  });

  it('mentions only npm scripts that exist', () => {
    const scripts = [...new Set([...runbook.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name))];

    expect(scripts).toEqual(expect.arrayContaining(['admin', 'smoke', 'locate']));
    for (const script of scripts) expect(packageJson.scripts).toHaveProperty([script]);
  });
});
