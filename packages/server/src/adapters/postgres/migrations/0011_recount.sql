-- Likes of a post are counted again now and then.
create index likes_by_post on likes (post);
