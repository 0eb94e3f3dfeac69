import { useState } from 'react';
import { SwitchField } from '#dashboard/components/forms/switch-field.tsx';
import { Dialog } from '#dashboard/components/overlay/dialog.tsx';
import { Keys } from './keys.tsx';
import { areSingleKeysOn, searchKeys, setSingleKeys } from './shortcuts.ts';

interface ShortcutsDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

interface ShortcutGroup {
  title: string;
  shortcuts: { keys: readonly string[]; effect: string }[];
}

const groups = (): ShortcutGroup[] => [
  {
    title: 'Everywhere',
    shortcuts: [
      {
        keys: searchKeys(),
        effect:
          'Search views, actions, keys, users, prompts, sessions, models, errors, times and request IDs',
      },
      { keys: ['?'], effect: 'Show these shortcuts' },
      { keys: ['Esc'], effect: 'Close a dialog, menu or list' },
    ],
  },
  {
    title: 'In lists and menus',
    shortcuts: [
      { keys: ['Up', 'Down'], effect: 'Move' },
      { keys: ['Enter'], effect: 'Choose' },
    ],
  },
  {
    title: 'In charts',
    shortcuts: [
      { keys: ['Left', 'Right'], effect: 'Move through the time' },
      { keys: ['Home', 'End'], effect: 'Move to the first and last time' },
      { keys: ['Up', 'Down'], effect: 'Move through the series' },
      { keys: ['Enter'], effect: 'Open what is reached' },
      { keys: ['Shift', 'Left', 'Right'], effect: 'Select a part of the time in logs, which Enter applies' },
    ],
  },
];

/** The sheet of shortcuts. */
export function ShortcutsDialog({ open, onOpenChange }: ShortcutsDialogProps) {
  const [hasSingleKeys, setHasSingleKeys] = useState(areSingleKeysOn);
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Keyboard shortcuts">
      <div className="flex flex-col gap-5">
        {groups().map(({ title, shortcuts }) => (
          <section key={title} aria-label={title}>
            <h3 className="mb-1.5 text-xs font-medium text-muted">{title}</h3>
            <ul className="flex flex-col gap-1.5">
              {shortcuts.map(({ keys, effect }) => (
                <li key={effect} className="flex items-start justify-between gap-4">
                  <span className="min-w-0">{effect}</span>
                  <Keys keys={keys} />
                </li>
              ))}
            </ul>
          </section>
        ))}
        <div className="border-t border-line pt-4">
          <SwitchField
            label="Shortcuts of a single key"
            description="Switch ? off if you speak to your browser, or press it by mistake."
            checked={hasSingleKeys}
            onCheckedChange={(isOn) => {
              setSingleKeys(isOn);
              setHasSingleKeys(isOn);
            }}
          />
        </div>
      </div>
    </Dialog>
  );
}
