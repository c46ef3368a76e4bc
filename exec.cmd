@rem Lets the npm scripts begin with "exec" on Windows, where the word has no meaning.
@%*
