/** SQL that takes words out of what keys keep: outcomes stay what requests are answered with when they are repeated. */
const NO_TEXT = `'{"content": "", "attrs": {}}'::jsonb`
const NO_PROFILE = `'{"name": null, "avatar": null, "attributes": {}}'::jsonb`

const published = `outcome #> '{value,post}' is not null`
const edited = `outcome #> '{value,content}' is not null`

/** Of a post that was published or edited. */
export const WITHOUT_TEXT = `case
  when ${published} then jsonb_set(outcome, '{value,post}', outcome #> '{value,post}' || ${NO_TEXT})
  else jsonb_build_object('value', outcome -> 'value' || ${NO_TEXT}) end`

/** Of all that a user said, in posts and about themselves. */
export const WITHOUT_WORDS = `case
  when ${published} then jsonb_build_object('value', jsonb_build_object(
    'post', outcome #> '{value,post}' || ${NO_TEXT},
    'author', outcome #> '{value,author}' || ${NO_PROFILE}))
  when ${edited} then jsonb_build_object('value', outcome -> 'value' || ${NO_TEXT})
  else jsonb_build_object('value', outcome -> 'value' || ${NO_PROFILE}) end`
