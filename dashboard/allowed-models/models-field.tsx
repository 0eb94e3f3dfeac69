import { ChoiceChips } from '#dashboard/components/forms/chips.tsx';
import { TextAreaField } from '#dashboard/components/forms/text-area-field.tsx';
import { checkPatterns, type EnteredModels } from './patterns.ts';

const choices = [
  { value: 'all', label: 'All models' },
  { value: 'only', label: 'Only some' },
] as const;

interface ModelsFieldProps {
  value: EnteredModels;
  onValueChange: (models: EnteredModels) => void;
}

/** The allowed models of a form, whose patterns have the API's field name, `models`. */
export function ModelsField({ value, onValueChange }: ModelsFieldProps) {
  return (
    <>
      <ChoiceChips
        label="Allowed models"
        options={choices}
        value={value.choice}
        onValueChange={(choice) => onValueChange({ ...value, choice })}
        columns="grid-cols-2"
      >
        <p className="text-[0.8125rem] text-muted">
          {value.choice === 'all'
            ? 'Also those that providers add later, and routes.'
            : 'Requests with another model are refused with the status 403.'}
        </p>
      </ChoiceChips>
      {value.choice === 'only' && (
        <TextAreaField
          label="Patterns"
          name="models"
          description="One on each line. An asterisk stands for any characters; routes are route/NAME."
          placeholder={'openai/*\nanthropic/claude-*\nroute/*'}
          rows={4}
          value={value.patterns}
          onValueChange={(patterns) => onValueChange({ ...value, patterns })}
          validate={checkPatterns}
        />
      )}
    </>
  );
}
