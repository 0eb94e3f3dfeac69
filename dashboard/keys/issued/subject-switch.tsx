import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import type { SnippetSubject } from './snippets.ts';

const titles: Record<SnippetSubject, string> = {
  'chat.completions': 'Chat',
  responses: 'Responses',
  embeddings: 'Embeddings',
  agents: 'Agents',
};

interface SubjectSwitchProps {
  subjects: readonly SnippetSubject[];
  value: SnippetSubject;
  onValueChange: (subject: SnippetSubject) => void;
}

/** A choice between what the code can be for. */
export function SubjectSwitch({ subjects, value, onValueChange }: SubjectSwitchProps) {
  return (
    <RadioGroup
      aria-label="Operation"
      value={value}
      onValueChange={(subject) => onValueChange(subject)}
      className="flex flex-wrap rounded-lg border border-control bg-canvas p-0.5"
    >
      {subjects.map((subject) => (
        <Radio.Root
          key={subject}
          value={subject}
          className="cursor-pointer rounded-md px-2 py-0.5 text-[0.8125rem]/5 font-medium text-muted transition-colors select-none sm:px-2.5 hover:text-text data-checked:bg-raised data-checked:text-text data-checked:shadow-card"
        >
          {titles[subject]}
        </Radio.Root>
      ))}
    </RadioGroup>
  );
}
