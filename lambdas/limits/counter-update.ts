/** Builds the conditional updates of a counter. */
import { addUsd, type Usd } from '#lambdas/platform/money.ts';
import { amountValue } from './counter.ts';

export interface ConditionalUpdate {
  UpdateExpression: string;
  ConditionExpression: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues: Record<string, unknown>;
}

export interface CounterUpdate {
  requireNone(attribute: string): void;
  requireValue(attribute: string, value: unknown): void;
  /** If the attribute does not exist, `initial` must have the amount. */
  requireAtLeast(attribute: string, usd: Usd, initial?: string): void;
  /** Or that the attribute does not exist. */
  requireLess(attribute: string, value: string): void;
  set(attribute: string, value: unknown): void;
  /** Amounts for the same attribute are summed. */
  add(attribute: string, usd: Usd): void;
  /** Adds to the attribute, or to `initial` if it does not exist. The attribute `initial` must exist. */
  addTo(attribute: string, initial: string, usd: Usd): void;
  remove(attribute: string): void;
  /** `UpdateExpression` is empty if nothing changes. */
  build(): ConditionalUpdate;
}

/** The update fails for the item of another counter. */
export function createUpdate(id: string): CounterUpdate {
  const sets = new Map<string, unknown>();
  const sums = new Map<string, { initial: string; usd: Usd }>();
  const additions = new Map<string, Usd>();
  const removals = new Set<string>();
  const conditions: string[] = [];
  const names: Record<string, string> = {};
  const values: Record<string, unknown> = {};
  const nameOf = (attribute: string) => {
    const name = `#${attribute.replaceAll(/[-#]/g, '_')}`;
    names[name] = attribute;
    return name;
  };
  const placeholderOf = (value: unknown) => {
    const name = `:v${Object.keys(values).length}`;
    values[name] = value;
    return name;
  };
  const requireValue = (attribute: string, value: unknown) =>
    void conditions.push(`${nameOf(attribute)} = ${placeholderOf(value)}`);
  requireValue('id', id);
  return {
    requireNone: (attribute) => void conditions.push(`attribute_not_exists(${nameOf(attribute)})`),
    requireValue,
    requireAtLeast(attribute, usd, initial) {
      const [name, least] = [nameOf(attribute), placeholderOf(amountValue(usd))];
      const isInitial = initial && `(attribute_not_exists(${name}) AND ${nameOf(initial)} >= ${least})`;
      conditions.push(isInitial ? `(${name} >= ${least} OR ${isInitial})` : `${name} >= ${least}`);
    },
    requireLess(attribute, value) {
      const name = nameOf(attribute);
      conditions.push(`(attribute_not_exists(${name}) OR ${name} < ${placeholderOf(value)})`);
    },
    set: (attribute, value) => void sets.set(attribute, value),
    add: (attribute, usd) => void additions.set(attribute, addUsd(additions.get(attribute) ?? '0', usd)),
    addTo: (attribute, initial, usd) =>
      void sums.set(attribute, { initial, usd: addUsd(sums.get(attribute)?.usd ?? '0', usd) }),
    remove: (attribute) => void removals.add(nameOf(attribute)),
    build() {
      const added = [...additions].map(
        ([attribute, usd]) => `${nameOf(attribute)} ${placeholderOf(amountValue(usd))}`,
      );
      const summed = [...sums].map(([attribute, { initial, usd }]) => {
        const name = nameOf(attribute);
        return `${name} = if_not_exists(${name}, ${nameOf(initial)}) + ${placeholderOf(amountValue(usd))}`;
      });
      const set = [...sets].map(([attribute, value]) => `${nameOf(attribute)} = ${placeholderOf(value)}`);
      const clauses = [
        ['SET', [...set, ...summed]],
        ['ADD', added],
        ['REMOVE', [...removals]],
      ] as const;
      return {
        UpdateExpression: clauses
          .filter(([, parts]) => parts.length > 0)
          .map(([clause, parts]) => `${clause} ${parts.join(', ')}`)
          .join(' '),
        ConditionExpression: conditions.join(' AND '),
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: values,
      };
    },
  };
}
