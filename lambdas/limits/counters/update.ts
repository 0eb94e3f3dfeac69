/** Builds the conditional updates of a counter. */
import { addUsd, subtractUsd, type Usd } from '#lambdas/platform/money.ts';
import { amountValue, kindOfPeriod, periodAttribute } from './counter.ts';

export interface ConditionalUpdate {
  UpdateExpression: string;
  ConditionExpression: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues: Record<string, unknown>;
}

export interface CounterUpdate {
  requireNone(attribute: string): void;
  requireValue(attribute: string, value: unknown): void;
  requireAtLeast(attribute: string, usd: Usd): void;
  /** Or that the attribute does not exist. */
  requireLess(attribute: string, value: string): void;
  set(attribute: string, value: unknown): void;
  /** Amounts for the same attribute are summed. */
  add(attribute: string, usd: Usd): void;
  /** Adds to the room of the period, which is the limit if the item does not have it yet. Amounts are summed. */
  addRoom(period: string, usd: Usd): void;
  /** The update fails if the item has less room. */
  takeRoom(period: string, usd: Usd): void;
  remove(attribute: string): void;
  /** `UpdateExpression` is empty if nothing changes. */
  build(): ConditionalUpdate;
}

/** The update fails for the item of another counter. */
export function createUpdate(id: string): CounterUpdate {
  const sets = new Map<string, unknown>();
  const rooms = new Map<string, Usd>();
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
  const roomNames = (period: string) => ({
    room: nameOf(periodAttribute('room', period)),
    limit: nameOf(`limit_${kindOfPeriod(period)}`),
  });
  const addRoom = (period: string, usd: Usd) => void rooms.set(period, addUsd(rooms.get(period) ?? '0', usd));
  return {
    requireNone: (attribute) => void conditions.push(`attribute_not_exists(${nameOf(attribute)})`),
    requireValue,
    requireAtLeast: (attribute, usd) =>
      void conditions.push(`${nameOf(attribute)} >= ${placeholderOf(amountValue(usd))}`),
    requireLess(attribute, value) {
      const name = nameOf(attribute);
      conditions.push(`(attribute_not_exists(${name}) OR ${name} < ${placeholderOf(value)})`);
    },
    set: (attribute, value) => void sets.set(attribute, value),
    add: (attribute, usd) => void additions.set(attribute, addUsd(additions.get(attribute) ?? '0', usd)),
    addRoom,
    takeRoom(period, usd) {
      const { room, limit } = roomNames(period);
      const amount = placeholderOf(amountValue(usd));
      conditions.push(`(${room} >= ${amount} OR (attribute_not_exists(${room}) AND ${limit} >= ${amount}))`);
      addRoom(period, subtractUsd('0', usd));
    },
    remove: (attribute) => void removals.add(nameOf(attribute)),
    build() {
      const added = [...additions].map(
        ([attribute, usd]) => `${nameOf(attribute)} ${placeholderOf(amountValue(usd))}`,
      );
      const changedRooms = [...rooms].map(([period, usd]) => {
        const { room, limit } = roomNames(period);
        return `${room} = if_not_exists(${room}, ${limit}) + ${placeholderOf(amountValue(usd))}`;
      });
      const set = [...sets].map(([attribute, value]) => `${nameOf(attribute)} = ${placeholderOf(value)}`);
      const clauses = [
        ['SET', [...set, ...changedRooms]],
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
