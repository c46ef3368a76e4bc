import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { isPostId } from '../../domain/post-id.ts'
import { unknownPost } from '../../domain/unknown.ts'
import { viewer } from '../auth/viewer.ts'
import type { Backend } from '../backend.ts'
import { writeOptions } from '../idempotency-key.ts'
import { sendBytes } from '../page-link.ts'
import { PostParams } from '../schemas/common.ts'
import { DONE, operation } from '../schemas/operation.ts'
import {
  FoundPostsRef,
  NewPostSchema,
  PostChangeSchema,
  PostIdsSchema,
  PostRef
} from '../schemas/post.ts'

const tag = 'posts'

const create = operation({
  ...{ id: 'createPost', tag, summary: 'Publish a post', writes: true, takesBody: true },
  answer: { 201: PostRef },
  errors: ['invalid_text', 'media_not_enabled', 'clock_behind']
})

const read = operation({
  ...{ id: 'getPost', tag, summary: 'Read a post' },
  answer: { 200: PostRef },
  errors: ['post_not_found']
})

const readMany = operation({
  ...{ id: 'getPosts', tag, summary: 'Read posts by their ids' },
  answer: { 200: FoundPostsRef }
})

const edit = operation({
  ...{ id: 'editPost', tag, summary: 'Edit an own post', writes: true, takesBody: true },
  answer: { 200: PostRef },
  errors: ['invalid_text', 'not_author', 'post_not_found']
})

const remove = operation({
  ...{ id: 'deletePost', tag, summary: 'Delete an own post', writes: true },
  answer: DONE,
  errors: ['not_author', 'post_not_found']
})

export function postRoutes(backend: Backend): FastifyPluginAsyncTypebox {
  return async app => {
    app.post('/posts', { schema: { ...create, body: NewPostSchema } }, async (request, reply) => {
      const post = await viewer(backend, request).createPost(request.body, writeOptions(request))
      return reply.code(201).header('location', `/v1/posts/${post.id}`).send(post)
    })

    app.get(
      '/posts',
      { schema: { ...readMany, querystring: PostIdsSchema } },
      async (request, reply) => {
        const ids = request.query.ids.split(',')
        return sendBytes(reply, await viewer(backend, request).postsBytes(ids))
      }
    )

    app.get('/posts/:id', { schema: { ...read, params: PostParams } }, async (request, reply) => {
      const id = possible(request.params.id)
      return sendBytes(reply, await viewer(backend, request).postBytes(id))
    })

    app.patch(
      '/posts/:id',
      { schema: { ...edit, params: PostParams, body: PostChangeSchema } },
      async request => {
        const id = possible(request.params.id)
        const user = viewer(backend, request)
        return user.editPost(id, request.body, writeOptions(request))
      }
    )

    app.delete(
      '/posts/:id',
      { schema: { ...remove, params: PostParams } },
      async (request, reply) => {
        const id = possible(request.params.id)
        const user = viewer(backend, request)
        await user.deletePost(id, writeOptions(request))
        return reply.code(204).send()
      }
    )
  }
}

/** 19 digits may still be more than any id can be. */
export function possible(id: string): string {
  if (isPostId(id)) return id
  throw unknownPost(id)
}
