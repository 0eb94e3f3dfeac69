import type { Command } from 'commander';
import { addExportCommand } from './export-command.ts';
import { addRecoverCommand } from './recover-command.ts';

export function addLogCommands(program: Command): void {
  const group = program.command('logs').description('the log entries of requests');
  addExportCommand(group);
  addRecoverCommand(group);
}
