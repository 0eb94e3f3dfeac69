/** Derives the unit of the value that an alarm compares. */
import type { Alarm } from './alarms/alarm.ts';
import type { Expression } from './metric-math/parse.ts';

const symbols: Record<string, string> = {
  IteratorAge: 'ms',
  GatewayOverhead: 'ms',
  RollupLag: 's',
};

/** Returns an empty string for counts. */
export function unitOf({ definitions }: Pick<Alarm, 'definitions'>): string {
  const all = [...definitions.values()];
  if (all.some((definition) => 'kind' in definition && isPercentage(definition))) return '%';
  const units = all.flatMap((definition) =>
    'metric' in definition ? (symbols[definition.metric.name] ?? []) : [],
  );
  return units[0] ?? '';
}

function isPercentage(expression: Expression): boolean {
  switch (expression.kind) {
    case 'binary': {
      const { operator, left, right } = expression;
      if (operator === '*' && left.kind === 'number' && left.value === 100) return true;
      return isPercentage(left) || isPercentage(right);
    }
    case 'if':
      return isPercentage(expression.whenTrue);
    default:
      return false;
  }
}
