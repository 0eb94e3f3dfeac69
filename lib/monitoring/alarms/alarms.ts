/** All alarms of a level, in the order of an operator's questions. */

import type { MonitoredResources } from '../resources.ts';
import type { AlarmDefinition } from './alarm-definition.ts';
import { availabilityAlarms } from './availability.ts';
import { capacityAlarms } from './capacity.ts';
import { countingAlarms } from './counting.ts';
import { entryAlarms } from './entries.ts';
import { providerAlarms } from './providers.ts';

export function alarmDefinitions(resources: MonitoredResources): AlarmDefinition[] {
  const { monitoring } = resources.settings;
  return [
    ...availabilityAlarms(resources),
    ...capacityAlarms(resources),
    ...providerAlarms(resources),
    ...entryAlarms(resources),
    ...countingAlarms(resources),
  ].filter(({ level }) => monitoring === 'all' || level === monitoring);
}
